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
# # 01: the base workload
#
# Downloads a tgz, converts its content and merges it into one CSV file: the workflow of
# [Deploying Kubeflow Pipelines with Azure AKS spot instances](https://ubuntu.com/blog/deploying-kubeflow-pipelines-with-azure-aks-spot-instances),
# on Kubeflow Pipelines v2. Nothing is placed yet.
#
# A notebook of Charmed Kubeflow has no checkout of this repository, and the package is on no index. Build it in a
# checkout with `pip wheel --no-deps --wheel-dir dist ./packages/ckf-spot`, put the file from `dist` beside this notebook, and
# run `%pip install 'ckf_spot-<version>-py3-none-any.whl[kfp,kubernetes]'`.
#
# **Changed since the blog**
#
# * `@dsl.component` replaces `create_component_from_func` and the downloader's YAML file, which the blog loads from a
#   branch that moves.
# * Inputs and outputs are artifacts, `dsl.Input` and `dsl.Output`, instead of `InputPath` and `OutputPath`.
# * The archive is unpacked with `filter="data"` into a folder of its own, and its files are read in order: a second
#   attempt gives the same file as the first.
# * Python 3.11 and pandas 3.1.1 replace 3.7 and 1.1.4.

# %%
import kfp
from kfp import compiler, dsl


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
@dsl.pipeline(name="base-pipeline", description="my base pipeline")
def my_pipeline(url: str):
    web_downloader_task = web_downloader(url=url)
    merge_csv(tarball=web_downloader_task.outputs["data"])


# %% [markdown]
# ## Run it
#
# The compiled file is what Kubeflow gets: its first YAML document has the steps and their retries, the second one their
# placement. Open it, or upload it by hand under *Pipelines*.

# %%
compiler.Compiler().compile(my_pipeline, "01-base-workload.yaml")

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
# `ckf-spot where` shows it: both steps ran on the pool `general`, beside Kubeflow itself, at the full price. Without a
# toleration nothing runs on spot nodes; [02](02-spot-workload.ipynb) adds it.
