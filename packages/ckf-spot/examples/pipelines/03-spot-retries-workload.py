# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 03: spot nodes, and retries
#
# The workflow of [01](01-base-workload.ipynb), on spot nodes if there are any, and with retries after evictions.
#
# **Changed since the blog**
#
# * `prefer="spot"` covers the spot pool and its on-demand fallback: the steps run on spot nodes as long as Azure has
#   some, otherwise on the fallback. The blog's run would wait.
# * The blog's `set_retry(num_retries=5, backoff_dureation="5m")` is misspelt, which is an error. Spelt right, kfp v2
#   waits 5, 10, 20 … minutes, and after one hour stops, the running attempt too. `place_pipeline` sets waits of 5
#   minutes each, and a limit of 7 days.
# * Retries alone do not help with the defaults of Charmed Kubeflow: a step whose node disappeared ends as
#   `pod deleted`, and Argo does not retry that. The cluster's program sets Argo's retry policy to `Always`;
#   `ckf-spot doctor` shows whether it has.

# %%
import kfp
from kfp import compiler, dsl

from ckf_spot import Pools

# %%
pools = Pools.load()
print(*pools)

# %% [markdown]
# The two steps are those of [01](01-base-workload.ipynb), without a change: the pipeline decides where a step runs.


# %%
@dsl.component(base_image="python:3.11-slim")
def web_downloader(url: str, data: dsl.Output[dsl.Artifact]):
    import shutil
    import urllib.request

    with urllib.request.urlopen(url) as response, open(data.path, "wb") as file:
        shutil.copyfileobj(response, file)


# %%
@dsl.component(base_image="python:3.11-slim", packages_to_install=["pandas==3.1.1"])
def merge_csv(tarball: dsl.Input[dsl.Artifact], output_csv: dsl.Output[dsl.Dataset]):
    import glob
    import tarfile
    import tempfile

    import pandas as pd

    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(name=tarball.path, mode="r|gz") as archive:
            archive.extractall(folder, filter="data")
        files = sorted(glob.glob(f"{folder}/**/*.csv", recursive=True))
        df = pd.concat([pd.read_csv(csv_file, header=None) for csv_file in files])
    df.to_csv(output_csv.path, index=False, header=False)


# %%
@dsl.pipeline(name="spot-retries-pipeline", description="my spot pipeline with retries")
def my_pipeline(url: str):
    web_downloader_task = web_downloader(url=url)
    merge_csv(tarball=web_downloader_task.outputs["data"])


# %%
print(pools["cpu"].place_pipeline(my_pipeline, prefer="spot", retries=5, backoff="5m"))

# %% [markdown]
# ## Run it
#
# The compiled file is what Kubeflow gets: its first YAML document has the steps and their retries, the second one their
# placement. Open it, or upload it by hand under *Pipelines*.

# %%
compiler.Compiler().compile(my_pipeline, "03-spot-retries-workload.yaml")

# %% [markdown]
# In a notebook of Charmed Kubeflow the client connects by itself, if *Allow access to Kubeflow Pipelines* was ticked
# when the notebook was created. Elsewhere the environment variable `KF_PIPELINES_ENDPOINT` names the API server.

# %%
client = kfp.Client()

# %%
client.create_run_from_pipeline_func(
    my_pipeline,
    arguments={"url": "https://storage.googleapis.com/ml-pipeline-playground/iris-csv-files.tar.gz"},
)

# %% [markdown]
# ## What happens on an eviction?
#
# The node is removed, with the pod on it. After 5 minutes, time enough for a new node, Argo starts the step again, up
# to five times. `ckf-spot where` counts the evictions. Each attempt starts at the step's beginning: keep steps short,
# or let them save checkpoints outside the node.
