"""Kinds of work (Jobs, training jobs, TrainJobs, experiments), each with the form in which it is placed."""
