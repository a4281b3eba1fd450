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
# # 04: a GPU, on spot if there is one
#
# The workflow of [03](03-spot-retries-workload.ipynb), and a third step that trains on what the other two have
# prepared. The blog has no such notebook.
#
# * `pools["gpu"].place(task, gpus=1)` requests one GPU, by its type *and* count: kfp's `set_accelerator_limit(1)` alone
#   requests none. Spot machines with GPUs sell out often; then this run continues on the on-demand fallback.
# * Steps without a GPU stay on `pools["cpu"]`. A GPU node costs the same whether its GPU is used or not, so steps that
#   request no GPU cannot run there.

# %%
import kfp
from kfp import compiler, dsl

from ckf_spot import Pools

# %%
pools = Pools.load()
print(*pools)

# %% [markdown]
# The first two steps are those of [01](01-base-workload.ipynb), without a change: the pipeline decides where a step
# runs.


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


# %% [markdown]
# The third one computes with CuPy, which is NumPy on a GPU. It takes seconds; a step of hours should save checkpoints
# outside the node, as every attempt starts at its beginning.


# %%
@dsl.component(base_image="cupy/cupy:v13.6.0")
def train(dataset: dsl.Input[dsl.Dataset], model: dsl.Output[dsl.Model], metrics: dsl.Output[dsl.Metrics]):
    import csv
    import json

    try:
        import cupy as xp  # on a GPU
    except ImportError:
        import numpy as xp  # on your own machine, to try it out

    with open(dataset.path) as file:
        rows = [row for row in csv.reader(file) if row]
    species = sorted({row[-1] for row in rows})
    x = xp.asarray([[float(cell) for cell in row[:-1]] + [1.0] for row in rows])
    y = xp.eye(len(species))[xp.asarray([species.index(row[-1]) for row in rows])]

    weights = xp.zeros((x.shape[1], y.shape[1]))
    for _ in range(500):  # logistic regression by gradient descent
        scores = xp.exp(x @ weights - (x @ weights).max(axis=1, keepdims=True))
        weights -= 0.1 * x.T @ (scores / scores.sum(axis=1, keepdims=True) - y) / len(rows)

    accuracy = float(((x @ weights).argmax(axis=1) == y.argmax(axis=1)).mean())
    metrics.log_metric("accuracy", accuracy)
    with open(model.path, "w") as file:
        json.dump({"species": species, "weights": weights.tolist()}, file)


# %%
@dsl.pipeline(name="gpu-spot-pipeline", description="my spot pipeline with a GPU")
def my_pipeline(url: str):
    web_downloader_task = web_downloader(url=url)
    merge_csv_task = merge_csv(tarball=web_downloader_task.outputs["data"])
    train_task = train(dataset=merge_csv_task.outputs["output_csv"])
    pools["gpu"].place(train_task, prefer="spot", retries=5, backoff="5m", gpus=1)


# %%
print(pools["cpu"].place_pipeline(my_pipeline, prefer="spot", retries=5, backoff="5m"))

# %% [markdown]
# ## Run it
#
# The compiled file is what Kubeflow gets: its first YAML document has the steps and their retries, the second one their
# placement. Open it, or upload it by hand under *Pipelines*.

# %%
compiler.Compiler().compile(my_pipeline, "04-gpu-spot-workload.yaml")

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
