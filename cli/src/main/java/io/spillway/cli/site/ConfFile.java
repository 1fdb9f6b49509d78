// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.site;

import io.spillway.cli.failure.CommandException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** Writes Hadoop's XML configuration files. */
public final class ConfFile {
    /** log4j.properties: INFO to the standard error stream. */
    public static final String LOGGING =
            """
            log4j.rootLogger=INFO,console
            log4j.appender.console=org.apache.log4j.ConsoleAppender
            log4j.appender.console.target=System.err
            log4j.appender.console.layout=org.apache.log4j.PatternLayout
            log4j.appender.console.layout.ConversionPattern=%d{ISO8601} %p %c{1}: %m%n
            """;

    private ConfFile() {}

    /** Writes a file that holds exactly these properties. */
    public static void write(final Path file, final Map<String, String> properties)
            throws IOException {
        WholeFile.publish(file, render(properties));
    }

    /** The text of a file that holds exactly these properties. */
    public static String render(final Map<String, String> properties) {
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<configuration>\n"
                + renderProperties(properties)
                + "</configuration>\n";
    }

    /**
     * Adds properties to the text of an existing file, after its own, so that ours win unless the
     * file's are final.
     *
     * @throws IllegalArgumentException when the text is not such a file
     */
    public static String append(final String text, final Map<String, String> properties) {
        final int end = text.lastIndexOf("</configuration>");
        if (end < 0) {
            throw new IllegalArgumentException("no </configuration> in it");
        }
        return text.substring(0, end) + renderProperties(properties) + text.substring(end);
    }

    /**
     * The value of a property in a file, the last one where there are several. Variables in it are
     * not replaced.
     *
     * @throws CommandException when the file cannot be read
     */
    public static Optional<String> read(final Path file, final String name) {
        try (InputStream stream = Files.newInputStream(file)) {
            final DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
            factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
            final NodeList properties =
                    factory.newDocumentBuilder().parse(stream).getElementsByTagName("property");
            String value = null;
            for (int index = 0; index < properties.getLength(); index++) {
                final Element property = (Element) properties.item(index);
                if (name.equals(text(property, "name"))) {
                    value = text(property, "value");
                }
            }
            return Optional.ofNullable(value);
        } catch (final IOException | ParserConfigurationException | SAXException e) {
            throw new CommandException("cannot read " + file + ": " + e.getMessage(), e);
        }
    }

    private static String text(final Element property, final String tag) {
        final NodeList found = property.getElementsByTagName(tag);
        return found.getLength() == 0 ? "" : found.item(0).getTextContent().trim();
    }

    /** The elements of these properties, each on lines of its own. */
    public static String renderProperties(final Map<String, String> properties) {
        final StringBuilder xml = new StringBuilder();
        properties.forEach(
                (name, value) ->
                        xml.append("  <property>\n    <name>")
                                .append(escape(name))
                                .append("</name>\n    <value>")
                                .append(escape(value))
                                .append("</value>\n  </property>\n"));
        return xml.toString();
    }

    /** A text as the content of an element. */
    public static String escape(final String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
