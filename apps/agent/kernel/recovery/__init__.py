"""What the loop does when the model does not do its part (contract §4.4).

A  tool-stall retry        nudges   nothing to read in a planning round after tools ran: ask again, tools open
B  exhausted tools         compose  the same tool found nothing three times: a grounded reply, tools closed
C  best effort             compose  a grounded reply from a smaller view of the conversation
D  missing-tool-call       nudges   blank or emoji and no call at all: ask again, tools open
E  fail closed             ending   still neither a call nor an answer: "please try again"
F  generic empty retry     nudges   any other reply that is no answer: ask again in the same phase
G  unexecuted plan         nudges   steps announced, none taken: ask once for the calls
H  last resort             ending   no answer at the end: B, then C, then what the tools did
I  unresolved failures     state    a failed call in the last batch: no success, whatever the text says

A, D and F share one counter, G and B have one each, and each is spent at most once.
"""
