// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.hpc;

import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.site.HadoopCommand;
import io.spillway.cli.site.HadoopRuntime;
import io.spillway.cli.site.WorkFolder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** Which Hadoop is run. */
final class HadoopChoice {
    private HadoopChoice() {}

    /**
     * The one that is asked for, else that of the environment, else jars that Maven fetches.
     *
     * @param progress receives a line when something has to be fetched
     */
    static Path of(
            final Optional<Path> asked,
            final Map<String, String> environment,
            final WorkFolder work,
            final Consumer<String> progress) {
        final Optional<Path> home = asked.or(() -> HadoopCommand.of(environment).folder());
        if (home.isEmpty()) {
            return HadoopRuntime.resolve(work, HadoopRuntime.DEFAULT_VERSION, progress)
                    .home()
                    .folder()
                    .orElseThrow();
        }
        if (!Files.isExecutable(home.get().resolve("bin/hadoop"))) {
            throw new BadInputException(
                    (asked.isPresent() ? "--hadoop " : "HADOOP_HOME=")
                            + home.get()
                            + ": no bin/hadoop in it; expected an unpacked Hadoop");
        }
        return home.get().toAbsolutePath();
    }
}
