"""What the loop does when the model does not do its part (contract §4.4).

A  tool-stall retry        nudges   no answer in a planning round after a call was made: ask again, tools open
B  exhausted tools         compose  the same tool found nothing three times: a grounded reply, tools closed
C  best effort             compose  a grounded reply from a smaller view of the conversation
D  missing-tool-call       nudges   blank, emoji or a call acted out, and none made: ask again, tools open
E  fail closed             ending   no tool ran and still no answer: "please try again"
F  generic empty retry     nudges   any other reply that is no answer: ask again in the same phase
G  unexecuted plan         nudges   steps announced, none taken: ask once for the calls
H  last resort             ending   no answer at the end: B, then C, then what the tools did
I  unresolved failures     state    a failed call in the last batch: no success, whatever the text says

A call that was refused before it ran (no such tool, wrong arguments, too many, not allowed) was made, so A and not D
answers to it; but nothing ran, so B and C have nothing to rest on, and a short reply is not too short.

Before H, an answer that a planning round wrote after calls is kept for an answer round that brings none.

A, D and F share one counter, G and B have one each, and each is spent at most once.
"""
