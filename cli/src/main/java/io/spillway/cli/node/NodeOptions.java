// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.node;

import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.option.JobOptions;
import io.spillway.cli.site.InstalledHadoop;
import io.spillway.cli.site.PlugIn;
import io.spillway.cli.site.WorkFolder;
import io.spillway.conf.InvalidSettingException;
import io.spillway.conf.Settings;
import io.spillway.node.control.ControlSocket;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import picocli.CommandLine.Option;

/** The settings that a command for the node process goes by. */
final class NodeOptions {
    @Option(
            names = "-D",
            paramLabel = "KEY=VALUE",
            mapFallbackValue = "",
            description = "A setting; goes before those of the installed Hadoop's files.")
    private Map<String, String> definitions = new TreeMap<>();

    Map<String, String> definitions() {
        JobOptions.requireKnown(definitions);
        return Map.copyOf(definitions);
    }

    /** Looks settings up: those given here, then those of an installed Hadoop. */
    Function<String, String> lookup(final WorkFolder work) {
        final Map<String, String> given = definitions();
        final Optional<InstalledHadoop> installed =
                InstalledHadoop.find(work, PlugIn.ofThisBuild(), System.getenv());
        final Function<String, String> lookup =
                name ->
                        Optional.ofNullable(given.get(name))
                                .or(() -> installed.flatMap(hadoop -> hadoop.property(name)))
                                .orElse(null);
        try {
            Settings.validate(lookup);
        } catch (final InvalidSettingException e) {
            throw new BadInputException(e.getMessage());
        }
        return lookup;
    }

    Path socket(final WorkFolder work) {
        return ControlSocket.path(lookup(work));
    }
}
