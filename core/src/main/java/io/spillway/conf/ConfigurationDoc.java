package io.spillway.conf;

/** Writes {@code docs/configuration.md} from {@link SpillwayKeys}. */
public final class ConfigurationDoc {
    private ConfigurationDoc() {}

    /** The whole page, in Markdown. */
    public static String render() {
        final StringBuilder page =
                new StringBuilder(
                        """
# Configuration

Generated from `SpillwayKeys`; `./spillway conf --doc > docs/configuration.md`
writes it anew. Every setting is a Hadoop property: give it with `-D` for one
job, in `mapred-site.xml` for all jobs, and those named `spillway.handler.*` and
`spillway.node.*` in the NodeManagers' `yarn-site.xml`, where the directories and
limits of `spillway.store.*` belong as well. Byte counts take the
suffixes k, m, g and t (binary). A value outside its range is refused with a
line that names it.

| setting | type | default | range | what it does |
|---|---|---|---|---|
""");
        for (final Setting<?> setting : SpillwayKeys.all()) {
            page.append("| `").append(setting.name());
            page.append("` | ").append(setting.type().label());
            page.append(" | `").append(setting.defaultText());
            page.append("` | ").append(setting.range());
            page.append(" | ").append(setting.doc()).append(" |\n");
        }
        return page.toString();
    }
}
