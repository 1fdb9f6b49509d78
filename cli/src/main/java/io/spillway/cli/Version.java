// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli;

import io.spillway.cli.site.HadoopRuntime;
import io.spillway.version.Release;
import picocli.CommandLine.IVersionProvider;

/** The version of this build. */
final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[] {
            "Spillway " + Release.VERSION,
            "Hadoop " + HadoopRuntime.DEFAULT_VERSION + " by default",
            "Java " + Runtime.version()
        };
    }
}
