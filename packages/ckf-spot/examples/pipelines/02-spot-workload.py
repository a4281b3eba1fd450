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
# # 02: on spot nodes
#
# The workflow of [01](01-base-workload.ipynb), on spot nodes only.
#
# **Changed since the blog**
#
# * The blog gives every task a toleration and an affinity with `add_toleration` and `add_affinity`. kfp v2 has neither,
#   and their replacements have pitfalls (`docs/pipelines.md` lists them). One line now places all tasks:
#   `pools["cpu"].place_pipeline(my_pipeline, require="spot")`.
# * The blog selects any spot node, so a CSV file may be merged on a GPU. `pools["cpu"]` selects the CPU pools.
# * `retries=0` is as in the blog's second notebook. A step whose node is evicted is then lost, and the run fails;
#   [03](03-spot-retries-workload.ipynb) adds retries.

# %%
import kfp
from kfp import compiler, dsl

from ckf_spot import Pools

# %% [markdown]
# The cluster publishes its pools: in the ConfigMap `kubeflow-aks/agent-pools`, or in a file that the environment
# variable `CKF_SPOT_POOLS` names.

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
@dsl.pipeline(name="spot-pipeline", description="my spot pipeline")
def my_pipeline(url: str):
    web_downloader_task = web_downloader(url=url)
    merge_csv(tarball=web_downloader_task.outputs["data"])


# %%
print(pools["cpu"].place_pipeline(my_pipeline, require="spot", retries=0))

# %% [markdown]
# ## Run it
#
# The compiled file is what Kubeflow gets: its first YAML document has the steps and their retries, the second one their
# placement. Open it, or upload it by hand under *Pipelines*.

# %%
compiler.Compiler().compile(my_pipeline, "02-spot-workload.yaml")

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
# ## Where did it run?
#
# `ckf-spot where` shows both steps on spot nodes. With `require="spot"` the steps wait if Azure has no spot machines,
# however long that takes.
