"""Names of programs for which leave would be leave for anything, so that no rule and no saved approval gives it."""

from hilt.policy.commanding import PASSED_THROUGH

SHELLS = frozenset({
    "sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "csh", "tcsh", "pwsh", "powershell", "cmd", "busybox",
})  # fmt: skip
"""Programs that run a text."""
INTERPRETERS = frozenset({
    "python", "python2", "python3", "pypy", "pypy3", "node", "deno", "bun", "perl", "ruby", "php", "lua", "tclsh",
    "awk", "gawk", "mawk", "osascript", "Rscript", "julia", "java", "gdb", "expect", "ipython", "irb", "groovy",
    "scala",
})  # fmt: skip
"""Programs that run code: one script or module of it may be named."""
RUN_OTHERS = PASSED_THROUGH | frozenset({
    "env", "sudo", "su", "doas", "xargs", "parallel", "exec", "eval", "source", ".", "builtin", "find", "fd",
    "watch", "flock", "strace", "ltrace", "script", "unshare", "nsenter", "chroot", "bwrap", "setpriv", "runuser",
    "systemd-run", "at", "batch", "crontab", "entr", "unbuffer", "dbus-run-session", "trap", "coproc", "alias",
    "ssh", "taskset",
})  # fmt: skip
"""Programs whose operands are other programs."""
NEED_MORE = frozenset({
    "git", "npm", "npx", "pnpm", "yarn", "bunx", "pnpx", "uvx", "pipx", "uv", "poetry", "docker", "podman",
    "kubectl", "gh", "cargo", "go", "pip", "pip3", "aws", "gcloud", "az", "terraform", "helm", "systemctl", "apt",
    "apt-get", "hg", "svn",
})  # fmt: skip
"""Programs that do too many things for their bare name to say which."""
RUN_SUBCOMMANDS = frozenset({
    ("npm", "exec"), ("pnpm", "exec"), ("pnpm", "dlx"), ("yarn", "dlx"), ("yarn", "exec"), ("uv", "run"),
    ("poetry", "run"), ("docker", "run"), ("docker", "exec"), ("podman", "run"), ("podman", "exec"),
    ("kubectl", "exec"), ("go", "run"),
})  # fmt: skip
"""Subcommands that run what follows them."""
