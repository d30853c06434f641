"""Words for acts that mean about the same; how a line is read is said in `search_groups.py`."""

GROUPS = """
create make new generate build compose produce
add insert append include attach put
delete remove erase drop destroy purge clear wipe discard trash
update edit modify change alter adjust revise amend patch
set assign configure define specify
rename > move name title
move relocate transfer shift
copy duplicate clone replicate
clone > repository
fork > repository copy
find search query lookup locate seek discover
search > list
hunt grep lookup > search find
list enumerate browse
get read fetch retrieve obtain show view display
print output dump > get show list log
open > get read navigate launch
send deliver post transmit dispatch
tell notify inform alert announce warn > send message notification monitor
write save store persist keep record
put > write set add upload
log record track > worklog add
run execute launch start trigger invoke
begin > start create
stop halt kill terminate end cancel abort quit
close > dismiss end
pause suspend freeze hold
resume continue unpause
restart reboot reload relaunch
refresh renew reload regenerate
undo revert rollback restore
recover > restore backup
backup snapshot
check verify validate test inspect examine
ensure confirm > verify check
compare diff difference contrast delta
merge combine join unite
split divide separate
count number total tally amount
sum add plus total addition
calculate compute evaluate
aggregate group summarize statistics
summarize summary digest overview brief
analyze analysis investigate diagnose troubleshoot
debug > diagnose log console
explain describe why
why > diagnose explain
cause reason > diagnose analyze
recommend suggest advise suggestion
plan schedule arrange
organize sort order arrange
filter where condition
convert transform translate turn change
export download dump save
import upload load ingest
download fetch pull get
upload attach push put
install setup provision deploy
deploy rollout release publish
apply install
uninstall > delete remove
upgrade update bump
grant give allow permit authorize enable
revoke deny forbid block restrict withdraw
enable activate on
disable deactivate off
lock protect restrict
share sharing collaborate
subscribe follow watch monitor observe
monitor watch track observe alert
invite > add share member attendee
assign delegate give > assignee
reply respond answer response
forward > send
decline reject refuse
accept approve confirm
review approve comment
comment remark note annotation annotate discuss
mark label flag tag
archive > label move
click press tap push hit
type fill enter input key
hover mouse pointer
scroll swipe
drag drop
select choose pick option
dropdown combobox > select option
upload > file
navigate visit open go browse
wait delay sleep
intercept mock stub fake route
simulate emulate pretend mimic imitate
resize size dimension
capture screenshot snap picture
screenshot > capture image
crawl spider recursively
scrape extract harvest parse
extract > structured scrape
resolve lookup
connect attach link
link connect associate relate
relate > link
transition move status state
finish complete done
evict drain cordon
maintenance > drain cordon
scale replica size
expire expiry expiration renew
rotate renew
encrypt secure tls
compress gzip zip shrink squeeze pack
decompress unzip unpack extract
expose forward port
audit inspect review
scan > detect check
detect find identify
optimize improve tune recommend
reduce shrink lower decrease
increase raise grow expand
think reason reflect
remember memory recall store
learn study research
research investigate report
watch > video
"""
