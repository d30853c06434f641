"""Words of single fields that mean about the same; how a line is read is said in `search_groups.py`."""

GROUPS = """
fact > observation knowledge note
remember > memory entity observation knowledge
knowledge > graph entity relation memory
entity > node
know > memory search
process > program task
program application app executable
application app program
kill > process end
terminal shell > console command session
bash > shell command terminal
command exec shell
exec execute > run command
interactive > session input terminal
stdin input
signal > kill process
port > forward expose
localhost > forward port local
tunnel > forward port
reach > forward connect
compose > stack
stack > compose deployment
registry > image repository
network > subnet
firewall > rule policy
dns > domain record zone
domain > dns zone
certificate > domain
lambda serverless > function
bucket s3 > storage object
s3 bucket
blob object storage
queue > message topic
subscription > topic
publish > post send release
stream > consume
consumer > group
cache > redis key
redis > cache key
key > value
expire > ttl
sqlite > sql database
query > select read
insert > write row
ddl > create table schema
describe > schema columns detail
structure > describe schema
migration schema migrate
foreign > relation key
vector embedding semantic similarity
semantic vector similar
similarity > search vector
workbook excel > file
worksheet > sheet tab
pivot > summary table
freeze pane header
pane freeze split
visible > freeze show
merge > cells
border > style format
highlight > format color conditional
bold > format
currency > number format exchange
width > column resize
sort order
formula calculate function
goal > seek target
payment > goal formula stripe invoice
interest loan > rate
validate validation rule
dropdown > validation
protect lock password
cell > range read write
block > paragraph content
notion > page database block
toggle > block
template > copy
backlink > link
emoji reaction react
react > reaction
thread reply conversation
reply > thread post
channel > list history
dm > direct message
mention > notify user
pin > pinned
topic > channel set
presence status
profile bio > user
star favorite bookmark
favorite star like
release > tag publish
gist snippet
review approve comment
approve > review merge
reviewer > request review
draft > pull request
conflict merge
squash > merge
blame > author line
runner > workflow job
workflow > action pipeline
action > workflow
artifact > download build
webhook hook callback
hook webhook
alert incident notification
incident alert outage
outage incident down
oncall > schedule incident
sentry > error exception
stacktrace > error trace
dashboard panel grafana
panel > dashboard graph
metric > query prometheus
log > query search
trace span
customer client > contact account
deal opportunity
lead prospect > contact
invoice bill receipt
bill invoice payment
charge payment
refund > payment charge
subscription plan
price product cost
product catalog > item
order purchase
cart basket
shipment delivery tracking
inventory stock
stock ticker > share quote price
ticker > symbol quote
exchange > rate currency
weather forecast temperature
forecast weather
rain > weather forecast
temperature > weather
flight airline ticket
hotel > room booking
booking reservation
trip travel
translate > language
speech voice audio
voice audio speech
transcribe transcript audio
subtitle transcript caption
podcast audio
song music > track
playlist music
youtube > video
thumbnail preview > image
crop > resize image
rotate flip > image
watermark > image
ocr > text image
pdf > document
merge > pdf
split > pdf
sign signature
fillable > form
contract agreement > document
resume cv
vacancy > job position
candidate applicant
employee staff
payroll salary
timesheet > hours worklog
lesson course
quiz > question
grade score
recipe ingredient
nutrition calorie
workout exercise
sleep health
smart light lamp
lamp light
thermostat temperature
sensor > device
robot > device
drawing sketch > diagram
sketch > design
wireframe > design
prototype > design
font typography
palette color
vector > svg
mesh > 3d
render scene
unit > test
mock > fixture
coverage > test
benchmark performance
refactor rename
rename > symbol
usage > reference
caller > reference
callee > reference
import > dependency
vulnerability advisory > security
vulnerability > audit scan
license > audit
outdated > update dependency
format > lint prettier
typo spelling
spelling > search typo
uuid > random number id
uuid > generate id
hash checksum digest
base64 > encode decode
password > generate secret
qr barcode
shorten > url link
whois domain
ping > network status
ip > address
geolocate > ip location
sleep wait
cron schedule
cron > recurring
recurring repeat schedule
reminder alarm
alarm reminder alert
timer > time
birthday > event contact
holiday > calendar
"""
