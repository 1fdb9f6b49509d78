// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.place;

import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.option.Screen;
import io.spillway.cli.site.HadoopSite;
import io.spillway.cli.site.InstalledHadoop;
import io.spillway.cli.site.PlugIn;
import io.spillway.cli.site.WorkFolder;
import java.util.Optional;
import picocli.CommandLine.Mixin;

/** The Hadoop that the environment names. */
public final class InstalledPlace implements JobPlace {
    @Mixin private Question question;

    @Override
    public OpenPlace open(
            final WorkFolder work,
            final Screen screen,
            final String purpose,
            final Optional<String> transport) {
        final InstalledHadoop hadoop =
                installed(work)
                        .orElseThrow(
                                () ->
                                        new BadInputException(
                                                "no Hadoop to run jobs on: expected HADOOP_HOME or"
                                                        + " HADOOP_CONF_DIR to name one"));
        screen.note("Using the installed Hadoop: " + hadoop.description());
        return new OpenPlace(hadoop, () -> {});
    }

    @Override
    public Optional<InstalledHadoop> installed(final WorkFolder work) {
        return InstalledHadoop.find(work, PlugIn.ofThisBuild(), System.getenv());
    }

    @Override
    public void confirm(final HadoopSite site, final String what) {
        question.ask(what);
    }
}
