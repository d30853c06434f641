"""Words of tools' names: what is done, what says nothing, and what a plain command does as well."""

from collections.abc import Mapping

_DONE = """
abort accept activate add annotate append apply archive assign attach audit build cancel check clean cleanup
clear click close commit compare configure connect convert copy count create deactivate delete deploy describe
detach diagnose diff disable disconnect dismiss download drag drop edit enable evaluate exec execute explain
export fetch fill find fork get hide highlight hover import insert inspect install invite kill lint list load
lock log login logout logs merge migrate modify mount move mute open package patch pause ping play post
preview promote publish pull push put query read reboot rebuild record refresh register reject release reload
remove rename render renew reopen replace reply request reschedule reserve reset resize restart restore resume
retry revert revoke rollback rotate route run save scale schedule search select send set share show sign start
stop store submit subscribe suspend switch sync tag taint template test toggle trace transfer transition
trigger type unassign uninstall unlock unmount unmute unpause unpin unroute unschedule unsubscribe untag
unwatch update upgrade upload validate verify view wait watch write
"""
ACTIONS = frozenset(_DONE.split())
"""What a tool does: names that differ in one of these are of tools with other effects."""
_NOTHING = "a an the of for to by in on from with all text content data result"
GENERIC = frozenset(_NOTHING.split())
"""Words that make no difference to what a tool is about."""
COMMANDS: Mapping[str, str] = {
    "list directory": "ls",
    "directory tree": "tree",
    "create directory": "mkdir -p",
    "move file": "mv",
    "get file info": "stat",
    "git status": "git status",
    "git diff unstaged": "git diff",
    "git diff staged": "git diff --staged",
    "git diff": "git diff TARGET",
    "git add": "git add",
    "git reset": "git reset",
    "git commit": "git commit -m",
    "git log": "git log",
    "git show": "git show",
    "git branch": "git branch",
    "git create branch": "git branch NAME",
    "git checkout": "git checkout",
    "get current time": "date",
    "get env": "env",
    "kubectl get": "kubectl get",
    "kubectl logs": "kubectl logs",
    "kubectl top": "kubectl top",
    "kubectl describe": "kubectl describe",
    "kubectl apply": "kubectl apply -f",
    "kubectl explain": "kubectl explain",
    "helm list": "helm list",
    "helm status": "helm status",
    "helm history": "helm history",
    "helm template": "helm template",
    "helm lint": "helm lint",
    "lint files": "eslint",
}
"""Names of tools, in words, and the command that does the same."""
