"""Background work: the job loop, what it does for each kind of job, and the supervisor of the
node's processes.
"""
