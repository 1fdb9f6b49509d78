// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.option;

/** A property as Hadoop's configuration files hold it, with a comment before it. */
public final class PropertyText {
    private PropertyText() {}

    public static String of(final String name, final String value, final String note) {
        return "<!-- "
                + note
                + " -->\n<property>\n  <name>"
                + name
                + "</name>\n  <value>"
                + value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
                + "</value>\n</property>\n";
    }
}
