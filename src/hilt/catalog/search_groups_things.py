"""Words for things and qualities that mean about the same; how a line is read is said in `search_groups.py`."""

GROUPS = """
file document
folder directory
path location
disk storage volume
repository repo project
repo repository codebase
branch > checkout
stage staged staging > index
index > staged
unstage > reset
stage > add
commit revision changeset
history log past
change diff modify
author who contributor
contributor committer > author
pr > pull request merge
mr > merge request pull
pull > merge
ticket issue bug defect story incident
issue ticket problem
task todo ticket item
todo > task
sprint iteration cycle
board kanban scrum
backlog > issue board
epic > issue
assignee owner responsible
watcher subscriber follower
worklog hours timesheet spent
spent > worklog time
sla commitment deadline
version release
tag label
milestone version
wiki confluence page article
article page post
knowledge wiki documentation
documentation docs manual guide reference handbook
doc document docs
manual documentation
amazon aws
aws amazon
google > gmail drive
package library dependency module
dependency > package import
function method procedure symbol
class type symbol
definition declare symbol body
source code
code source program
snippet example
example sample usage
usage utilization consumption
consumption > usage
reference usage citation
style lint convention format
lint eslint style
violation error problem
test spec suite
flaky random intermittent unreliable unstable
ci pipeline build workflow circleci
pipeline ci build
build ci compile
job build run
red fail broken
fail failure error broken crash
failure > log error
broken > fail
crash fail restart
error exception failure fault problem
warning > log event
log output stdout
stdout log output
stderr > log error
console > log message
trace profile record
performance speed slow fast latency
slow > performance
lcp vitals > performance lighthouse
score audit lighthouse
accessibility a11y
leak memory heap
heap memory heapsnapshot
object > heap
cpu processor compute
memory ram
resource cpu memory
machine host node instance server
server host machine
instance > node vm
vm virtual kubevirt
container pod docker
pod container
workload deployment pod
cluster kubernetes
kubernetes k8s cluster
k8s kubernetes cluster
kube kubernetes
chart helm
helm chart
mesh istio
ingress route gateway
service endpoint
secret credential password
certificate cert tls ssl
tls certificate ssl cert
mtls > peerauthentication tls
permission access right privilege rbac role
allowed permitted > permission access
access permission
user account member person
people person user contact
team group members
group team
admin administrator
role permission
login signin logon authentication authenticate auth
auth authentication login
session cookie storage
cookie session
token key credential
config configuration setting option preference
settings config configuration
environment env variable
env environment variable
var variable
parameter argument option
property attribute field
field column attribute
value content
column field
row record entry line
record row entry document
table collection relation
collection table
document record
database db
db database
mongo mongodb
postgres postgresql sql
sql query select
statement query
schema structure
index > indexes
trigger > automation
query search lookup
lookup query find
quota limit
cost price money spend expense pay expensive
money cost
waste idle unused overprovisioned
unused idle underused orphaned
bigger > underused overprovisioned size
reserve request > overprovisioned
limit > restrict quota
rightsize > recommendation optimize
status state progress condition
progress status
health healthy diagnose
alive > health
alert notification alarm
event > activity
queue pending waiting
pending stuck waiting
schedule calendar
calendar event schedule
meeting event appointment
appointment meeting event
event meeting appointment
invitation invite event
vacation holiday leave
absence > office vacation
available free busy availability freebusy
free > available freebusy
busy > freebusy available
reminder notification task
deadline due
email mail message gmail
mail email gmail
inbox email gmail
message > send chat
recipient > send to
attachment file
signature > settings
draft > compose
spam > label filter
thread conversation
chat conversation room message channel space
room channel space
channel room
contact person address
phone telephone number
spreadsheet sheet excel workbook
sheet spreadsheet
excel spreadsheet sheet
cell range
formula > sheet cell
slide presentation deck
deck presentation slide
presentation slides slide
powerpoint > presentation
word > document docs
form survey questionnaire poll
survey form questionnaire
question form
answer response reply
response answer reply
paragraph text section
heading title header
header > heading
chapter section
section chapter part
bold italic > format style
font > format style
colour color style css
color colour style
spacing padding margin layout
layout design structure
design figma mockup
mockup design figma
designer > design figma
icon image svg
image picture photo
picture image photo
video clip
drive cloud
cloud drive
public everyone anyone
public > shareable permission
visible visibility > restriction permission
visibility > permission
private restricted
restrict restriction limit
url link address website
address url location
website site web page
site website web
web internet online
internet web online
news > search
page webpage
tab window page
browser chrome page
javascript js script
js javascript script
css stylesheet style
stylesheet css
html dom markup
element node selector
button > click element
form > fill
keyboard key press
dialog alert prompt popup
popup dialog
network traffic request
request > network api
offline disconnect network
geolocation location position
location > place position
position location
viewport screen window
screen page
device mobile emulate
mobile device
dark > theme color emulate
viewport > resize emulate
feature flag
place > location shop restaurant
restaurant shop cafe store place
shop store place
nearby near > close local around place
close > near
direction route navigate way
driving > direction route
drive > direction
route direction path
distance far length
distance > matrix
latitude longitude coordinate geocode
coordinate latitude longitude geocode
coordinates > geocode
elevation height altitude
height elevation
high height > elevation
city town place
weather > forecast
time clock hour
clock time
timezone zone time
date day time
paper preprint article publication
preprint paper arxiv
publication paper
academic scholar scholarly paper research
scholar academic paper
citation cite reference bibliography
bibtex bibliography citation bib
bib bibtex citation
abstract summary
topic subject theme
tutorial guide
image > screenshot
big size large
size big large
large size
touch modify
timestamp > time date
latest newest recent current
recent latest last
current latest now
new > latest
old older previous stale
duplicate similar
similar related like
related similar
relation relationship link
next following
previous last earlier
several multiple many batch bulk
multiple several batch
batch multiple bulk
everything > all
all > list
each > every list
random > flaky
local > filesystem file
project > repository
iteration > sprint
development dev
dev development
organization org company
company organization
customer client
department team
office > vacation
title name
name title
text content
content text body
body content
size > info
tree hierarchy structure
hierarchy tree
structure tree
inside content
regex regexp pattern
pattern regex glob
glob wildcard pattern
wildcard glob pattern
line row
space > namespace
namespace > space
area region
region zone
zone region
firewall network policy
volume disk storage pvc
storage volume disk
hardware > node
gpu > resource accelerator
dashboard > metrics
metric statistic stats
metrics stats usage top
statistics stats count
stats statistics metric
chart graph plot diagram
graph diagram chart
diagram flowchart graph
plot chart graph
translation > language
language > locale
key > api
number count
"""
