"""A cache of recently used argument forms."""

KEPT = 64
"""Forms of one function or graph; the one not used for longest goes first."""


class Forms(dict):
    """Cached values by form, in the order in which forms were used."""

    def take(self, form):
        """The value of a form, to be kept again when it is used; None if there is none."""
        return self.pop(form, None)

    def keep(self, form, known):
        """Keep what is known of a form, as the one used last."""
        self[form] = known
        if len(self) > KEPT:
            for oldest in list(self.copy())[:-KEPT]:  # a copy is made in one step, also on a free-threaded interpreter
                self.pop(oldest, None)  # another thread may have used it meanwhile
