"""The probe: a few questions to a model that show what it can do on its server.

questions   what is asked, each as the body of a chat request
asking      puts the questions to a server; whatever comes of one is what was seen, never an error
reading     what was seen, read into a Probe: a pure function
kept        the probes that were made, in the user's data folder
words       a probe in words

`words` is light to import: the window uses it too.
"""
