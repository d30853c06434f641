"""A script read as a shell would run it, node by node: every command that may run, in every folder it may run in.

Only what is dispatched on here is understood; any other node is told as unproved, with its name and place.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from hilt.policy.programs.words import Word
from hilt.workspace.proof.builtins import assigned_names, own_word
from hilt.workspace.proof.gathering import Gathered
from hilt.workspace.proof.parsing import parse
from hilt.workspace.proof.script_words import SKIPPED, Words
from hilt.workspace.proof.shell_state import After, Names, Shell, both, joined
from hilt.workspace.proof.simple_commands import Commands, unknown

if TYPE_CHECKING:
    from tree_sitter import Node

MOST_VALUES = 24
"""Values of a loop's variable that are tried one by one; of more it is not known which it has."""
DEEPEST = 40


class Script:
    """One text and its tree, read from the root; what is found goes to `into`."""

    def __init__(self, source: bytes, into: Gathered, *, depth: int = 0) -> None:
        self.into = into
        self.words = Words(source, into, self._sequence, self._look_into)
        self._depth = depth
        self._attached: dict[int, list[Node]] = {}
        simple = self._simple = Commands(self.words, self._nested)
        self._kinds: Mapping[str, Callable[[Node, Shell], After]] = {
            "program": self._statements,
            "compound_statement": self._group,
            "subshell": self._subshell,
            "list": self._list,
            "pipeline": self._pipeline,
            "negated_command": self._negated,
            "command": simple.command,
            "redirected_statement": self._redirected,
            "variable_assignment": simple.assignment,
            "variable_assignments": simple.assignments,
            "declaration_command": simple.declaration,
            "if_statement": self._if,
            "while_statement": self._while,
            "for_statement": self._for,
            "case_statement": self._case,
            "test_command": simple.test,
        }

    def run(self, node: "Node", shell: Shell) -> After:
        """What is known of the shell after a node."""
        known = self._kinds.get(node.type)
        if known is None or self._depth > DEEPEST:
            self.words.doubt(
                node, f"{node.type} is not known to be harmless" if known is None else "it is nested too deep"
            )
            self._look_into(node, shell)
            return both(replace(shell, folders=None, variables={}))
        self._depth += 1
        try:
            redirects = self._attached.get(node.id)
            return known(node, shell) if redirects is None else self._applied(node, redirects, shell)
        finally:
            self._depth -= 1

    def _look_into(self, node: "Node", shell: Shell) -> None:
        """List the commands within what is not understood, for rules that speak of them."""
        if self._depth > DEEPEST:
            return
        self._depth += 1
        for child in node.named_children:
            if child.type in self._kinds:
                self.run(child, replace(shell, folders=None, variables={}))
            elif child.type not in ("word", "raw_string", "string_content"):
                self._look_into(child, shell)
        self._depth -= 1

    def _statements(self, node: "Node", shell: Shell) -> After:
        return self._sequence(node.children, shell)

    def _sequence(self, nodes: "Sequence[Node]", shell: Shell) -> After:
        after = both(shell)
        for index, child in enumerate(nodes):
            if not child.is_named or child.type in SKIPPED:
                continue
            beside = index + 1 < len(nodes) and nodes[index + 1].type == "&"
            shell = after.either
            done = self.run(child, shell)
            after = both(shell) if beside else done
        return after

    def _filled(self, nodes: "Sequence[Node]", shell: Shell, around: "Node") -> After:
        """Statements where the shell wants at least one: the grammar lets an empty body pass."""
        if not any(child.is_named and child.type not in SKIPPED for child in nodes):
            return unknown(self.words, around, shell)
        return self._sequence(nodes, shell)

    def _group(self, node: "Node", shell: Shell) -> After:
        return self._filled(node.children, shell, node)

    def _subshell(self, node: "Node", shell: Shell) -> After:
        self._filled(node.children, shell, node)
        return both(shell)

    def _list(self, node: "Node", shell: Shell) -> After:
        if len(node.named_children) < 2:
            return unknown(self.words, node, shell)
        left, right = node.named_children[0], node.named_children[-1]
        first = self.run(left, shell)
        if any(child.type == "&&" for child in node.children):
            second = self.run(right, first.success)
            return After(success=second.success, failure=joined(first.failure, second.failure))
        second = self.run(right, first.failure)
        return After(success=joined(first.success, second.success), failure=second.failure)

    def _pipeline(self, node: "Node", shell: Shell) -> After:
        given = shell.input
        for place, member in enumerate(node.named_children):
            if place and member.type == "negated_command":
                self.words.doubt(member, "not every shell takes ! here")
            if member.type not in SKIPPED:
                given = self._member(member, replace(shell, input=given))
        self.words.printed = given
        return both(shell)

    def _member(self, node: "Node", shell: Shell) -> Names | None:
        """Run one member of a pipeline; what the lines it prints name."""
        self.words.printed = None
        self.run(node, shell)
        return self.words.printed if node.type in ("command", "redirected_statement") else None

    def _negated(self, node: "Node", shell: Shell) -> After:
        after = self._filled([child for child in node.children if child.type != "!"], shell, node)
        return After(success=after.failure, failure=after.success)

    def _if(self, node: "Node", shell: Shell) -> After:
        return self._branch(node, shell)

    def _branch(self, node: "Node", shell: Shell) -> After:
        """`if` or `elif`: a condition up to `then`, a body, and what follows where it failed."""
        nodes = node.children
        then = next((place for place, child in enumerate(nodes) if child.type == "then"), len(nodes))
        rest = [place for place, child in enumerate(nodes) if child.type in ("elif_clause", "else_clause")]
        condition = self._filled(nodes[:then], shell, node)
        body = self._filled(nodes[then + 1 : rest[0] if rest else len(nodes)], condition.success, node).either
        end = condition.failure
        for place in rest:
            clause = nodes[place]
            if clause.type == "else_clause":
                end = self._filled(clause.children, end, clause).either
            else:
                after = self._branch(clause, end)
                body, end = joined(body, after.success), after.failure
        return After(success=joined(body, end) if rest else body, failure=end)

    def _loop(self, node: "Node", shell: Shell) -> Shell:
        """The shell at the start of any round: what the body changes is not known."""
        changed = assigned_names(self.words.text(node))
        moves = "cd" in changed
        return replace(shell, folders=None if moves else shell.folders).without(changed)

    def _while(self, node: "Node", shell: Shell) -> After:
        start = self._loop(node, shell)
        body = next((child for child in node.children if child.type == "do_group"), None)
        if body is None:
            return unknown(self.words, node, shell)
        condition = self._filled([child for child in node.children if child != body], start, node)
        until = node.children[0].type == "until"
        self._filled(body.children, condition.failure if until else condition.success, body)
        return both(start)

    def _for(self, node: "Node", shell: Shell) -> After:
        body, name = node.child_by_field_name("body"), node.child_by_field_name("variable")
        listed = any(child.type == "in" for child in node.children)
        if node.children[0].type != "for" or body is None or name is None or body.type != "do_group" or not listed:
            return unknown(self.words, node, shell)
        variable = self.words.text(name)
        if not own_word(variable):
            self.words.doubt(name, f"the variable {variable} may change what runs")
        start = self._loop(node, shell)
        values = [word for value in node.children_by_field_name("value") for word in self.words.of(value, shell)]
        if len(values) > MOST_VALUES or variable in assigned_names(self.words.text(body)):
            values = [Word()]
        for value in values or [Word()]:
            single = replace(value, many=False)
            self._filled(body.children, start.with_variable(variable, single), body)
        return both(start.without(frozenset({variable})))

    def _case(self, node: "Node", shell: Shell) -> After:
        value = node.child_by_field_name("value")
        if value is not None:
            self.words.of(value, shell)
        end = shell
        for item in node.named_children:
            if item.type != "case_item":
                continue
            if any(child.type in (";&", ";;&") for child in item.children):
                self.words.doubt(item, "it goes on into the next case")
            patterns = item.children_by_field_name("value")
            for pattern in patterns:
                if pattern.type not in ("word", "string", "raw_string", "number", "concatenation", "extglob_pattern"):
                    self.words.doubt(pattern, "this pattern is not understood")
                elif set(self.words.text(pattern)) & set("$`"):
                    self.words.doubt(pattern, "this pattern is known only when it runs")
            rest = [child for child in item.children if child not in patterns]
            end = joined(end, self._sequence(rest, shell).either)
        return both(end)

    def _nested(self, text: str, around: str, shell: Shell) -> None:
        """List the commands of a script within the script; that it is unproved has been said."""
        source = text.encode("utf-8", "surrogateescape")
        inner = Gathered(resolve=self.into.resolve)
        if self._depth < DEEPEST:
            nested = Script(source, inner, depth=self._depth + 5)
            nested.run(parse(source), replace(shell, variables={}, input=None))
        self.into.commands += [replace(each, wrappers=(around, *each.wrappers)) for each in inner.commands]

    def _redirected(self, node: "Node", shell: Shell) -> After:
        """The tree gives a redirect to a whole list; the shell gives it to the list's last command."""
        body = node.child_by_field_name("body")
        redirects = node.children_by_field_name("redirect")
        if body is None:
            empty, more, _ = self._simple.redirects(redirects, shell)
            return unknown(self.words, node, shell) if more else self._after_heredocs(redirects, both(empty), shell)
        last = body
        while last.type in ("list", "pipeline", "negated_command", "redirected_statement"):
            inner = [
                child for child in last.named_children if child.type not in SKIPPED and "redirect" not in child.type
            ]
            if not inner:
                return unknown(self.words, node, shell)
            last = inner[-1]
        self._attached.setdefault(last.id, []).extend(redirects)
        return self._after_heredocs(redirects, self.run(body, shell), shell)

    def _applied(self, node: "Node", redirects: "list[Node]", shell: Shell) -> After:
        """A command with its redirects."""
        inside, more, text = self._simple.redirects(redirects, shell)
        if node.type == "command":
            after = self._simple.command(node, inside, more, text)
        elif more:
            return unknown(self.words, node, shell)
        else:
            after = (
                self._kinds[node.type](node, inside) if node.type in self._kinds else unknown(self.words, node, shell)
            )
        return After(success=self._outer(after.success, shell), failure=self._outer(after.failure, shell))

    def _outer(self, shell: Shell, before: Shell) -> Shell:
        return replace(shell, input=before.input)

    def _after_heredocs(self, redirects: "list[Node]", after: After, shell: Shell) -> After:
        """What stands behind the mark of a here-document on its line: `&& next`, `| next`."""
        for redirect in redirects:
            right = redirect.child_by_field_name("right")
            operator = redirect.child_by_field_name("operator")
            for child in redirect.named_children:
                if child.type == "pipeline":
                    self._pipeline(child, shell)
                    after = both(after.either)
            if right is not None and operator is not None:
                second = self.run(right, after.success if operator.type == "&&" else after.failure)
                after = both(joined(after.either, second.either))
        return after
