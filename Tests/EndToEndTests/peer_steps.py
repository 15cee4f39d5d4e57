"""What the tests with other vendors' Python libraries share: steps with a sentence each, and what has to hold in them."""

_STEPS = []


def step(sentence):
    """Registers a function as the next step."""
    def register(function):
        _STEPS.append((sentence, function))
        return function

    return register


def expect(condition, *context):
    """Ends the step where the condition does not hold, and says the context."""
    if not condition:
        raise AssertionError(" ".join(str(part) for part in context) or "does not hold")


def expect_raises(error, call, *arguments, **options):
    """The error that the call raises: one of that class, or of one below it."""
    try:
        call(*arguments, **options)
    except error as raised:
        return raised
    raise AssertionError(f"{error.__name__} was not raised")


def expect_exactly_raises(error, call, *arguments, **options):
    """The error that the call raises: one of that class, and of none below it."""
    raised = expect_raises(error, call, *arguments, **options)
    expect(type(raised) is error, "raised", type(raised), raised)
    return raised


def run_steps():
    """Runs the steps in their order and prints a line for each; raises at the first that does not hold."""
    for sentence, function in _STEPS:
        try:
            function()
        except Exception as error:  # noqa: BLE001 – whatever it is, the step is named.
            print(f"FAILED  {sentence}: {type(error).__name__}: {error}", flush=True)
            raise
        print(f"ok      {sentence}", flush=True)
    print(f"{len(_STEPS)} steps, all as they should be.")
