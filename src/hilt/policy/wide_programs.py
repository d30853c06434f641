"""Names of programs for which leave would be leave for anything, so that no rule and no saved approval gives it."""

from hilt.policy.commanding import PASSED_THROUGH

SHELLS = frozenset({
    "sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "csh", "tcsh", "pwsh", "powershell", "cmd", "busybox",
    "rbash", "mksh", "yash", "posh", "xonsh", "nu", "elvish", "toybox", "osh", "ysh",
})  # fmt: skip
"""Programs that run a text."""
INTERPRETERS = frozenset({
    "python", "python2", "python3", "pypy", "pypy3", "node", "deno", "bun", "perl", "ruby", "php", "lua", "tclsh",
    "awk", "gawk", "mawk", "osascript", "Rscript", "julia", "java", "gdb", "expect", "ipython", "irb", "groovy",
    "scala", "nodejs", "tsx", "ts-node", "luajit", "guile", "wish", "lldb", "original-awk", "jshell", "elixir", "erl",
    "ghci", "sbcl", "octave", "emacs", "vim", "nvim", "vi", "ex", "ed", "R",
})  # fmt: skip
"""Programs that run code: one script or module of it may be named."""
RUN_OTHERS = PASSED_THROUGH | frozenset({
    "env", "sudo", "su", "doas", "xargs", "parallel", "exec", "eval", "source", ".", "builtin", "find", "fd",
    "watch", "flock", "strace", "ltrace", "script", "unshare", "nsenter", "chroot", "bwrap", "setpriv", "runuser",
    "systemd-run", "at", "batch", "crontab", "entr", "unbuffer", "dbus-run-session", "trap", "coproc", "alias",
    "ssh", "taskset", "tmux", "screen", "gosu", "su-exec", "pkexec", "fakeroot", "numactl", "setarch", "linux",
    "prlimit", "xvfb-run", "dbus-launch", "start-stop-daemon", "proot", "firejail", "torify", "torsocks", "proxychains",
    "cpulimit", "catchsegv", "ssh-agent", "nix-shell", "corepack", "sg", "newgrp", "socat", "ld-linux-x86-64.so",
    "ansible", "direnv", "winpty", "rlwrap", "reptyr", "dtach", "tini", "dumb-init", "catatonit", "sshpass",
})  # fmt: skip
"""Programs whose operands are other programs."""
NEED_MORE = frozenset({
    "git", "npm", "npx", "pnpm", "yarn", "bunx", "pnpx", "uvx", "pipx", "uv", "poetry", "docker", "podman",
    "kubectl", "gh", "cargo", "go", "pip", "pip3", "aws", "gcloud", "az", "terraform", "helm", "systemctl", "apt",
    "apt-get", "hg", "svn", "docker-compose", "pdm", "hatch", "rye", "conda", "mamba", "nix", "vagrant", "flatpak",
})  # fmt: skip
"""Programs that do too many things for their bare name to say which."""
RUN_SUBCOMMANDS = frozenset({
    ("npm", "exec"), ("pnpm", "exec"), ("pnpm", "dlx"), ("yarn", "dlx"), ("yarn", "exec"), ("uv", "run"),
    ("poetry", "run"), ("docker", "run"), ("docker", "exec"), ("podman", "run"), ("podman", "exec"),
    ("kubectl", "exec"), ("go", "run"), ("kubectl", "run"), ("kubectl", "debug"), ("pipx", "run"), ("conda", "run"),
    ("mamba", "run"), ("hatch", "run"), ("pdm", "run"), ("rye", "run"), ("nix", "run"), ("nix", "shell"),
    ("nix", "develop"), ("bun", "x"), ("yarn", "node"), ("vagrant", "ssh"), ("uv", "tool"), ("flatpak", "run"),
})  # fmt: skip
"""Subcommands that run what follows them."""
