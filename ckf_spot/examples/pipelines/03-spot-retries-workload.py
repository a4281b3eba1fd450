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
# The workflow of [01](01-base-workload.ipynb), on spot nodes if there are any, and alive when they are taken away.
#
# **Changed since the blog**
#
# * `prefer="spot"` covers the spot pool and its on-demand twin: the steps run on spot nodes as long as Azure has some,
#   and on the twin when it has none. The blog's run would wait.
# * The blog's `set_retry(num_retries=5, backoff_dureation="5m")` is misspelt, and an error. Spelt right, kfp v2 makes of
#   it waits of 5, 10, 20 … minutes that end after one hour, together with whatever runs then.
#   `place_pipeline` writes waits of 5 minutes each, and gives up after 7 days.
# * Retries alone do not help on Charmed Kubeflow as it is installed: a step whose node has vanished ends as `pod deleted`,
#   and Argo does not retry that. The cluster's program sets Argo's retry policy to `Always`; ask your administrator
#   whether this stage has run.

# %%
import kfp
from kfp import compiler, dsl

from ckf_spot import Pools

# %%
pools = Pools.load()
print(*pools)

# %% [markdown]
# The two steps are those of [01](01-base-workload.ipynb), without a change: where a step runs is the pipeline's business, not the step's.


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
# The compiled file is what Kubeflow gets: its first YAML document has the steps and their retries, its second one says
# where they run. Open it, or upload it by hand under *Pipelines*.

# %%
compiler.Compiler().compile(my_pipeline, "03-spot-retries-workload.yaml")

# %% [markdown]
# In a notebook of Charmed Kubeflow the client finds its way by itself, if *Allow access to Kubeflow Pipelines* was ticked
# when the notebook was made. Elsewhere the environment variable `KF_PIPELINES_ENDPOINT` names the API server.

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
# The node goes, with the pod on it. After 5 minutes, time enough for a new node, Argo starts the step again, up to five
# times. `ckf-spot where` counts how often. Each attempt starts at the step's beginning: keep steps short, or let them save
# checkpoints outside the node.
