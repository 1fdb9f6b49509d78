package io.spillway.cli;

/** A property as Hadoop's configuration files hold it, with a comment before it. */
final class PropertyText {
    private PropertyText() {}

    static String of(final String name, final String value, final String note) {
        return "<!-- "
                + note
                + " -->\n<property>\n  <name>"
                + name
                + "</name>\n  <value>"
                + value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
                + "</value>\n</property>\n";
    }
}
