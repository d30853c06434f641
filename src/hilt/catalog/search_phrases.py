"""Several words that mean one thing together, as people word needs; each with the words declarations have for it.

Behind `=` the words of the phrase themselves say nothing and are left out; behind `+` they count as well.
"""

from collections.abc import Mapping
from functools import cache

PHRASES = """
look up = search find get
look something up = search
look for = search find
looking for = search find
search for = search
find out = get find
find out why = diagnose explain analyze
figure out = diagnose analyze
check out = checkout
kick off = run start trigger create
set up = create setup configure
set off = trigger
turn down = decline reject
turn off = disable stop off
turn on = enable start on
turn into = convert transform extract
shut down = stop shutdown close
start over = restart reset
go back = rollback revert restore back
go back to = rollback revert restore
roll back = rollback revert undo
bring back = restore undo
get back = restore recover
get rid of = delete remove
throw away = delete remove discard reset
take out = remove reset
take everything out = reset remove clear
clean up = cleanup delete remove
wipe out = delete clear drop
back up = backup
write down = create save add write
note down = create save add note
sign up = register create
sign in = login authenticate
sign out = logout
log in = login authenticate
log out = logout
logged in + session login storage cookies
log time = worklog
hours spent + worklog
time spent + worklog
spent hours + worklog
hand over = assign transfer
hand out = share assign
pass on = forward share
send out = send
reach out = send message contact
get in touch = send message contact
write to = send message email
drop a line = send message
let know = send notify message
keep informed = watch monitor subscribe alert
keep me informed = watch monitor subscribe alert
keep me posted = watch monitor subscribe alert
keep an eye on = watch monitor
notify me = watch monitor alert
tell me when = watch monitor alert
tell me every time = watch monitor
let me know when = watch monitor wait
every time = monitor watch
whenever something new = watch monitor
comes out = new watch
as soon as = wait monitor
wait until = wait
what changed = diff changes log
what did i change = diff status
who changed = log history author commits
what happened = log events history
what time = time current
what is the time = time current
which day = date time
how big = size file_info info
how large = size info
how long = duration time
how many = count number
how much = count cost usage
how often = count frequency
how far = distance
how high = elevation height
how tall = elevation height
how fast = performance speed
how slow = performance
how healthy = health
how do i get = directions
how do i drive = directions
how to get = directions
when was = time info
when is = schedule event time
where is = find location search
where are = find location search
where does = find search
who is = get search contact
who can = permissions access
who has access = permissions access
who is allowed = permissions access rbac
who may = permissions access
allowed to + permissions
is allowed + permissions
am i allowed + allowed permissions
permitted to + allowed permissions
can anyone + public permissions access
anyone with the link + public shareable permissions
what is inside = list contents directory
what s inside = list contents directory
what is in = list read get
what s in = list read get
what is running = list status processes
what is going on = status events
why is + diagnose explain
why does + diagnose explain
show me why + diagnose failure
out of memory + oom memory
out of office + office vacation
out of date = stale outdated
on vacation = out_of_office vacation
on holiday = out_of_office vacation
on leave = out_of_office vacation
away from work = out_of_office vacation
up to date = latest current
to do + task
to do list = task list
due date + due
both available = freebusy availability query
free slot = freebusy availability
free time = freebusy availability
free at = freebusy availability
pull request + pull request merge
pull requests + pull request merge
merge request + merge request pull
make visible = permissions restrictions share
source code + code
side effect + effect
side by side = compare diff
step by step + sequential thinking
one by one + each
in one go + batch multiple bulk
at once + batch multiple bulk
in bulk + batch bulk multiple
a bunch of + batch multiple
all at once = batch bulk multiple
at the same time + batch parallel
close to + nearby local near
next to + nearby near
near me + nearby local places
opening hours + place details local
sea level + elevation
phone number + contact
get well = contact
dark mode + color scheme emulate
slow network + network throttle emulate
no internet + offline network
without internet + offline network
developer log = console messages
developer tools + console devtools
dev tools + console devtools
load slowly = performance trace
loads slowly = performance trace
takes so long = performance slow
page speed = performance lighthouse
web page + page
web pages + page
home page + page
landing page + page
official manuals = documentation
official docs = documentation
read next = recommend related
see also = recommend related
similar to + similar related
built on = cited citations cite
based on + cite
cited by + citations
too much + overprovisioned
too many + excess
more than we need = overprovisioned underused
more than needed = overprovisioned underused
not used = unused idle
no longer used = unused orphaned stale
nobody uses = unused idle
waste money + cost optimize idle
save money + cost optimize
less space = compress
take less space = compress
takes less space = compress
make smaller = compress resize
work tree + working
working tree + working
not add yet = unstaged
not added yet = unstaged
not staged + unstaged
not committed + uncommitted diff status
staged work + staged commit
save my work = commit save
save changes = commit save
last week + since date
last month + since date
right now = current
at the moment = current
in progress + status transition
from scratch = create new
give the name = rename move
give name = rename move
change the name = rename move
new name = rename move
call it = rename name
put together = create combine merge
in the cloud + drive
on disk + file filesystem
on my computer + file local
address book = contacts
mailing list + groups recipients
cover letter + document
press release + document
pie chart + chart
bar chart + chart
line chart + chart
chat room + chat space message
video call + meeting
conference call + meeting
log file + log
config file + configuration file
environment variables + env environment
shell vars = env environment variables
shell variables = env environment variables
response time + sla latency
sign up form + form
drop down + select option
drop down list + select option
check box + check fill
file name + file
file names + file
press a key = press key keyboard
mouse over = hover
go to = navigate open
open up = open
fill in + fill form
fill out + fill form
type in + type fill
take a picture = screenshot capture
take a photo = screenshot capture
picture of + screenshot image
fall over = crash fail
went red + failed failure build
goes red + failed failure build
went wrong + error failure logs
blew up = error failure crash
keeps restarting + crash restart
keep restarting + crash restart
keeps crashing + crash
does not start + crash pending diagnose
won t start + crash pending diagnose
stuck in + pending stuck
fail randomly = flaky tests
sometimes fail = flaky
now and then = flaky
pretend to be = emulate
act as = emulate simulate
act like = emulate simulate
belong to + linked related
belongs to + linked related
has to do with = related
depend on + dependencies
depends on + dependencies
make sure = verify check validate
double check = verify check
think through = thinking sequential
break down = split steps analyze
think about = thinking sequential
remember that = memory add create observation entity
keep in mind = memory remember store
do you know about = memory search
what do you know = memory search read
works at + relation
how are related + relation graph
from localhost + port forward
from my machine + port forward local
keep visible = freeze pane
always visible = freeze pane
stay visible = freeze pane
top row + freeze header
so that the result is = goal seek
which value = goal seek
what if + goal seek scenario
thumbs up = reaction emoji
react with + reaction emoji
reply in thread + thread reply
who is in = members users list
who is online = presence status users
pinned message + pin
read receipt + read
sign off on = approve review
ask for review = request review pull
ready for review + pull request
mark as read + label modify
mark as done = complete finish transition
mark as favorite = star
check in = commit
running programs = processes list
running processes + process list
force quit = kill process
task manager = processes list
open ports + port
ssh into = exec shell connect
shell into = exec pod
log into = login connect
tail the log = logs
tail the logs = logs
spin up = create start deploy
tear down = delete destroy stop
scale up = scale replicas
scale down = scale replicas
bring up = start
bring down = stop
push out = deploy publish push
roll out = rollout deploy
ship it = deploy release
cut a release = create release
code owner + owners
dead code + unused
wire up = connect link
hook up = connect link
sum up = summarize sum aggregate
add up = sum total add
work out = calculate compute
round trip + latency
tables are there + list tables
first rows + read query limit
top ten + sort limit
group by + aggregate
average of + aggregate
per month + aggregate group
how old = date time
how warm = temperature weather
how cold = temperature weather
exchange rate + currency convert
share price + stock quote
stock price + stock quote
unread messages + unread search
new messages + messages list
last message + messages get latest
spell check = spelling lint
clean install + install
dry run + preview dry_run
read only + readonly
what is new = changes latest updates
whats new = changes latest updates
speech to text = transcribe audio
text to speech = speech audio generate
black and white = grayscale image
"""

Phrase = tuple[tuple[str, ...], bool]
"""The words it stands for, and whether its own words count as well."""
LONGEST_PHRASE = 5


@cache
def phrases() -> Mapping[tuple[str, ...], Phrase]:
    """Every phrase by its words."""
    found: dict[tuple[str, ...], Phrase] = {}
    for line in filter(None, PHRASES.splitlines()):
        sign = "=" if "=" in line else "+"
        said, _, meant = line.partition(sign)
        found[tuple(said.split())] = (tuple(meant.split()), sign == "+")
    return found


@cache
def phrase_beginnings() -> frozenset[str]:
    """The first words of phrases."""
    return frozenset(each[0] for each in phrases())
