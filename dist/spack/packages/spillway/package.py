# SPDX-License-Identifier: Apache-2.0
import os

from spack.package import *


class Spillway(Package):
    """A shuffle engine for unmodified Apache Hadoop MapReduce. The release archive holds its jars: nothing is built."""

    license("Apache-2.0")

    # The archive lies in the folder of the call. It holds this file, so this file cannot hold its checksum.
    manual_download = True
    version("0.1.0")

    variant("ucx", default=True, description="Transfers by UCX: InfiniBand, RoCE, shared memory")
    variant("mpi", default=False, description="Transfers by the site's MPI library")

    depends_on("java@17:21", type="run")
    depends_on("ucx@1.13:", when="+ucx", type="run")
    depends_on("mpi", when="+mpi", type="run")
    conflicts("+ucx", when="target=aarch64:", msg="the Java binding of UCX has no library for arm64")

    def url_for_version(self, version):
        return f"file://{os.getcwd()}/spillway-{version}.tar.gz"

    def install(self, spec, prefix):
        install_tree(".", prefix)

    def setup_run_environment(self, env):
        env.prepend_path("PATH", self.prefix.dist.bin)
        env.set("SPILLWAY_JAR", join_path(self.prefix.lib, f"spillway-hadoop-{self.version}.jar"))
        if self.spec.satisfies("+ucx"):
            env.prepend_path("LD_LIBRARY_PATH", self.spec["ucx"].prefix.lib)
