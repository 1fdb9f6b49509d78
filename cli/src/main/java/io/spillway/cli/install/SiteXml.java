// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.install;

import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.site.ConfFile;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;
import org.xml.sax.SAXParseException;
import org.xml.sax.helpers.DefaultHandler;

/**
 * A Hadoop configuration file, with the place of each property in its text: a change of one
 * property leaves every other byte as it is. The text has a character for each byte (ISO-8859-1),
 * whatever the file's encoding is; what is added is ASCII. Immutable.
 */
final class SiteXml {
    /** A file without properties. */
    static final String EMPTY =
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<configuration>\n</configuration>\n";

    private static final String ROOT = "configuration";

    /** Comments, CDATA sections, processing instructions, and tags outside of these. */
    private static final Pattern MARKUP =
            Pattern.compile(
                    "<!--.*?-->|<!\\[CDATA\\[.*?]]>|<\\?.*?\\?>"
                            + "|<(?<close>/?)(?<tag>[^\\s/>!?]++)"
                            + "(?:[^>\"'/]++|\"[^\"]*+\"|'[^']*+'|/(?!>))*+(?<empty>/?)>",
                    Pattern.DOTALL);

    private final String name;
    private final String text;
    private final List<Property> properties;
    private final int rootEnd;
    private final boolean hasInclude;

    /**
     * A definition.
     *
     * @param name of the property
     * @param value without blanks around it; variables are not replaced
     * @param isFinal whether later files cannot change it
     * @param line where it begins, from 1
     * @param place its value element; empty where the value is an attribute or missing
     */
    record Property(String name, String value, boolean isFinal, int line, Optional<Span> place) {}

    /** A part of the text. */
    record Span(int start, int end) {}

    private SiteXml(final String name, final String text) {
        this.name = name;
        this.text = text;
        final NodeList elements = parse();
        final Places places = new Places();
        if (places.rootEnd < 0 || elements.getLength() != places.properties.size()) {
            throw new BadInputException(
                    name
                            + ": expected <configuration> and </configuration>, in an encoding that"
                            + " extends ASCII such as UTF-8: rewrite the file so");
        }
        this.properties = places.read(elements);
        this.rootEnd = places.rootEnd;
        this.hasInclude = places.hasInclude;
    }

    /**
     * Reads a text.
     *
     * @param name of the file, for errors
     * @throws BadInputException for a text that is not such a file
     */
    static SiteXml of(final String name, final String text) {
        return new SiteXml(name, text);
    }

    String text() {
        return text;
    }

    /** Whether it includes other files, which are not read here. */
    boolean hasInclude() {
        return hasInclude;
    }

    /** The definitions of a property, in their order; Hadoop takes the last one. */
    List<Property> definitions(final String property) {
        return properties.stream().filter(one -> one.name().equals(property)).toList();
    }

    /**
     * The same with another value for a property.
     *
     * @param property is defined once, with a value element, or not at all
     */
    SiteXml with(final String property, final String value) {
        final List<Property> known = definitions(property);
        if (known.isEmpty()) {
            return new SiteXml(name, inserted(property, value));
        }
        final Span place = known.get(0).place().orElseThrow();
        return new SiteXml(
                name,
                text.substring(0, place.start())
                        + "<value>"
                        + ConfFile.escape(value)
                        + "</value>"
                        + text.substring(place.end()));
    }

    private String inserted(final String property, final String value) {
        final int lineStart = text.lastIndexOf('\n', rootEnd - 1) + 1;
        final boolean isOwnLine = text.substring(lineStart, rootEnd).isBlank();
        final int at = isOwnLine ? lineStart : rootEnd;
        return text.substring(0, at)
                + (isOwnLine ? "" : lineEnd())
                + element(property, value)
                + text.substring(at);
    }

    private String element(final String property, final String value) {
        return ConfFile.renderProperties(Map.of(property, value)).replace("\n", lineEnd());
    }

    private String lineEnd() {
        return text.contains("\r\n") ? "\r\n" : "\n";
    }

    private NodeList parse() {
        try {
            final DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
            factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
            final DocumentBuilder builder = factory.newDocumentBuilder();
            builder.setErrorHandler(new DefaultHandler());
            builder.setEntityResolver((id, system) -> new InputSource(new StringReader("")));
            final byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
            final Element root =
                    builder.parse(new ByteArrayInputStream(bytes)).getDocumentElement();
            if (root.getOwnerDocument().getDoctype() != null || !root.getTagName().equals(ROOT)) {
                throw new BadInputException(
                        name
                                + ": expected <"
                                + ROOT
                                + "> without a DOCTYPE: change this file by hand");
            }
            return root.getElementsByTagName("property");
        } catch (final SAXParseException e) {
            throw new BadInputException(
                    name
                            + ":"
                            + e.getLineNumber()
                            + ": does not parse: "
                            + e.getMessage()
                            + " Mend it first: Hadoop does not start with this file");
        } catch (final SAXException | IOException | ParserConfigurationException e) {
            throw new BadInputException(name + ": cannot be read: " + e.getMessage());
        }
    }

    private int lineOf(final int place) {
        return 1 + (int) text.substring(0, place).chars().filter(c -> c == '\n').count();
    }

    /** Where elements begin and end. */
    private final class Places {
        private final List<Integer> properties = new ArrayList<>();
        private final List<Optional<Span>> values = new ArrayList<>();
        private final Deque<String> open = new ArrayDeque<>();
        private int rootEnd = -1;
        private boolean hasInclude;
        private int propertyStart;
        private int valueStart;
        private Optional<Span> value = Optional.empty();

        Places() {
            final Matcher markup = MARKUP.matcher(text);
            while (markup.find()) {
                if (markup.group("tag") == null) {
                    continue;
                }
                final String tag = markup.group("tag");
                if (markup.group("close").isEmpty()) {
                    begins(tag, markup);
                    if (!markup.group("empty").isEmpty()) {
                        ends(tag, markup.end(), markup.end());
                    }
                } else {
                    ends(tag, markup.start(), markup.end());
                }
            }
        }

        private void begins(final String tag, final Matcher markup) {
            open.push(tag);
            hasInclude |= tag.endsWith(":include") || tag.equals("include");
            if (tag.equals("property")) {
                propertyStart = markup.start();
                value = Optional.empty();
            } else if (tag.equals("value")) {
                valueStart = markup.start();
            }
        }

        private void ends(final String tag, final int start, final int end) {
            open.pop();
            if (tag.equals("property")) {
                properties.add(propertyStart);
                values.add(value);
            } else if (tag.equals("value")) {
                value = Optional.of(new Span(valueStart, end));
            } else if (open.isEmpty() && start < end) {
                rootEnd = start;
            }
        }

        List<Property> read(final NodeList elements) {
            final List<Property> read = new ArrayList<>();
            for (int i = 0; i < elements.getLength(); i++) {
                final Element element = (Element) elements.item(i);
                read.add(
                        new Property(
                                part(element, "name"),
                                part(element, "value"),
                                part(element, "final").equals("true"),
                                lineOf(properties.get(i)),
                                values.get(i)));
            }
            return read;
        }
    }

    /** Hadoop takes the last such element, else the attribute. */
    private static String part(final Element property, final String tag) {
        final NodeList found = property.getElementsByTagName(tag);
        return found.getLength() == 0
                ? property.getAttribute(tag).trim()
                : found.item(found.getLength() - 1).getTextContent().trim();
    }
}
