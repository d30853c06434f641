"""May this call run? Facts in, a Decision and its claims out.

Every layer of rules, and the session's taint, are judged by pure functions. They see what a Resolver
found out about paths, commands and addresses, and never look for themselves.

Not here: taking the claims (`store`), what a person or a model thinks of the call (`review`).
"""
