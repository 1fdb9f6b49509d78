// SPDX-License-Identifier: Apache-2.0
package io.spillway.conf;

import io.spillway.conf.Setting.Audience;
import io.spillway.conf.Setting.Reader;
import java.util.stream.Collectors;

/** Writes {@code docs/configuration.md} from the {@link Settings}. */
public final class ConfigurationDoc {
    private static final String INTRODUCTION =
            """
# Configuration

Generated from what the modules declare; `./spillway conf --doc > docs/configuration.md`
writes it anew. Every setting is a Hadoop property. None has to be set.

* **Read by** says where a setting counts. What the NodeManager reads stands in
  its `yarn-site.xml`. What tasks read stands in `mapred-site.xml` for all jobs,
  or comes with `-D` for one. A node process that the NodeManager starts gets the
  NodeManager's settings; one of its own gets `-D`.
* **Restart** says what has to be started again for a change to take effect;
  without one it holds from the next job on.
* `auto` is what Spillway derives from the mode, the host or the heap, `none` is
  nothing of the kind, and 0 is 0; each only where it is listed. Byte counts take
  the suffixes k, m, g and t (binary).
* A value outside its range, or larger than what the host or the heap has, is
  refused with a line that names the setting, the value and what would fit: a
  job uses Hadoop's own engine then, a NodeManager does without the tier, or
  serves stock HTTP only, a node process does not start. A name that is not
  listed is refused by the commands; jobs and NodeManagers warn of it, with the
  nearest name that is.
""";

    private ConfigurationDoc() {}

    /** The whole page, in Markdown. */
    public static String render() {
        final StringBuilder page = new StringBuilder(INTRODUCTION);
        table(page, Audience.SITE, "For a site", "Where map outputs lie and what nodes serve.");
        table(page, Audience.JOB, "For a job", "What may be worth a change for one job.");
        table(
                page,
                Audience.EXPERIMENT,
                "For experiments",
                "To measure what a mechanism brings; the defaults are right elsewhere.");
        return page.toString();
    }

    private static void table(
            final StringBuilder page,
            final Audience audience,
            final String title,
            final String purpose) {
        page.append("\n## ").append(title).append("\n\n").append(purpose).append("\n\n");
        page.append("| setting | default | values | read by | restart | what it does |\n");
        page.append("|---|---|---|---|---|---|\n");
        Settings.all().stream()
                .filter(setting -> setting.audience() == audience)
                .forEach(setting -> row(page, setting));
    }

    private static void row(final StringBuilder page, final Setting<?> setting) {
        page.append("| `").append(setting.name());
        page.append("` | `").append(setting.defaultText());
        page.append("` | ").append(setting.type().label()).append(": ").append(setting.range());
        page.append(" | ").append(readers(setting));
        page.append(" | ").append(restart(setting));
        page.append(" | ").append(setting.doc()).append(" |\n");
    }

    private static String readers(final Setting<?> setting) {
        return setting.readers().stream().map(Reader::label).collect(Collectors.joining(", "));
    }

    private static String restart(final Setting<?> setting) {
        final String daemons =
                setting.readers().stream()
                        .filter(Reader::isDaemon)
                        .map(Reader::label)
                        .collect(Collectors.joining(", "));
        return daemons.isEmpty() ? "no" : daemons;
    }
}
