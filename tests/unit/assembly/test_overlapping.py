"""What overlaps over the 28 servers: pairs labelled by names before any result was seen, rules tuned after that."""

import re
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import anyio

from hilt.assembly.history import Called
from hilt.assembly.meaning import static
from hilt.assembly.overlapping import ALWAYS, LEAST_TIMES, chains, overlaps
from hilt.assembly.targets import list_targets
from hilt.results.counting import QUARTER_BYTES

OVERLAP = """
git: git_diff_unstaged git_diff_staged
kubectl: capi_list_clusters capi_list_machines
kubectl: istio_gateways_list istio_peerauthentications_list
kubectl: kubevirt_vms_list kubevirt_vmis_list
kubectl: keda_scaledobjects_list keda_scaledjobs_list
kubectl: keda_scaledobject_get keda_triggerauth_get
kubectl: gitops_app_get gitops_source_get
kubectl: cilium_list_policies cilium_list_endpoints
kubectl: list_backups list_restores
kubectl: get_backup get_restore
kubectl: kind_list_clusters vind_list_clusters
playwright: browser_localstorage_get browser_sessionstorage_get
playwright: browser_localstorage_list browser_sessionstorage_list
playwright: browser_localstorage_set browser_sessionstorage_set
playwright: browser_localstorage_delete browser_sessionstorage_delete
playwright: browser_localstorage_clear browser_sessionstorage_clear
google-workspace: list_document_comments list_spreadsheet_comments
google-workspace: import_to_google_doc import_to_google_slides
google-workspace: get_gmail_message_content get_gmail_messages_content_batch
filesystem: read_file read_text_file
filesystem: list_directory list_directory_with_sizes
atlassian: jira_get_issue_development_info jira_get_issues_development_info
atlassian: confluence_upload_attachment confluence_upload_attachments
mongodb: aggregate aggregate-db
agentdojo: get_sent_emails get_draft_emails
agentdojo: search_contacts_by_name search_contacts_by_email
"""
APART = """
git: git_add git_reset
git: git_log git_show
filesystem: read_file write_file
playwright: browser_click browser_hover
playwright: browser_mouse_down browser_mouse_up
playwright: browser_start_tracing browser_stop_tracing
playwright: browser_localstorage_get browser_localstorage_set
kubectl: kubevirt_vm_start kubevirt_vm_stop
kubectl: kubevirt_vm_pause kubevirt_vm_unpause
kubectl: create_backup delete_backup
kubectl: vind_pause vind_resume
kubectl: kind_create_cluster kind_delete_cluster
kubectl: promote_rollout abort_rollout
kubectl: helm_repo_add helm_repo_remove
kubectl: helm_status helm_history
kubectl: helm_lint helm_package
kubectl: install_helm_chart upgrade_helm_chart
kubectl: multi_cluster_health multi_cluster_pod_count
kubectl: kind_node_inspect kind_node_restart
atlassian: jira_add_watcher jira_remove_watcher
atlassian: jira_create_issue jira_update_issue
atlassian: jira_get_issue_watchers jira_get_issue_dates
atlassian: confluence_get_page_views confluence_get_page_history
mongodb: drop-collection drop-index
mongodb: delete-many update-many
mongodb: connect disconnect
agentdojo: get_iban get_balance
agentdojo: get_channels get_user_info
time: get_current_time convert_time
firecrawl: firecrawl_crawl firecrawl_map
tavily: tavily_crawl tavily_map
arxiv: read_paper download_paper
arxiv: list_papers list_watches
chrome-devtools: list_pages list_network_requests
google-workspace: create_doc create_form
"""
LEAST_FOUND = 13
"""Of the 26 labelled overlaps; a pair too many is worse than one too few."""


def labelled(text: str) -> set[frozenset[str]]:
    """Pairs of `server/tool`."""
    lines = (re.split(r":? ", line) for line in text.strip().splitlines())
    return {frozenset((f"{server}/{one}", f"{server}/{other}")) for server, one, other in lines}


def test_no_pair_is_called_an_overlap_that_a_reader_keeps_apart(
    shared: Path, record_property: Callable[[str, object], None]
) -> None:
    files = sorted(str(each) for each in (shared / "data" / "toolsets").glob("*.json"))
    listing = anyio.run(list_targets, files)
    there = {f"{each.server}/{each.name}" for each in listing.tools}
    wanted, apart = labelled(OVERLAP), labelled(APART)

    found = {
        frozenset(two) for each in overlaps(listing, static(), QUARTER_BYTES, []) for two in combinations(each.tools, 2)
    }

    assert {name for pair in wanted | apart for name in pair} <= there
    assert not found & apart
    assert len(found & wanted) >= LEAST_FOUND
    record_property("report", f"overlaps: {len(found & wanted)} of {len(wanted)} found, {len(found)} pairs in all")


def called(tool: str, number: int, session: str = "s") -> Called:
    """A call as the trace has it."""
    return Called(session=session, call=f"{session}/{number}", tool=tool, at=float(number), steps=())


def test_tools_that_always_follow_each_other_are_a_chain_and_others_are_not() -> None:
    pairs = [called(tool, number) for number in range(LEAST_TIMES) for tool in ("find", "open")]

    (chain,) = chains(pairs)

    assert chain.tools == ("find", "open")
    assert chains(pairs[:-2]) == ()
    often = int(LEAST_TIMES / ALWAYS) + 1
    assert chains([*pairs, *(called("open", 99, f"s{number}") for number in range(often))]) == ()
