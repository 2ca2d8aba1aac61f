mark = "own selectors"
_PollLikeSelector = SelectSelector = PollSelector = object
