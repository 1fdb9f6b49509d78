package io.spillway.cli.test;

import io.spillway.bench.BenchException;
import io.spillway.bench.report.TextTable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.xml.XMLConstants;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/** Adds up what surefire and failsafe have reported, by module and kind. */
final class TestSummary {
    private static final String UNIT = "surefire-reports";
    private static final String INTEGRATION = "failsafe-reports";

    private final Map<String, Counts> modules = new TreeMap<>();

    /** What did not run, a line each, with the reason it gave. */
    private final List<String> skipped = new ArrayList<>();

    private TestSummary() {}

    /**
     * Numbers of one module and kind.
     *
     * @param millis summed over classes: more than passed where several JVMs run tests at a time
     */
    private record Counts(int run, int failed, int skipped, long millis) {
        static final Counts NONE = new Counts(0, 0, 0, 0);

        Counts plus(final Counts other) {
            return new Counts(
                    run + other.run,
                    failed + other.failed,
                    skipped + other.skipped,
                    millis + other.millis);
        }
    }

    /** Deletes the reports of former runs. */
    static void clear(final Path root) throws IOException {
        for (final Path report : reports(root)) {
            Files.delete(report);
        }
    }

    /** Reads the reports of all modules. */
    static TestSummary read(final Path root) throws IOException {
        final TestSummary summary = new TestSummary();
        for (final Path report : reports(root)) {
            final String kind = report.getParent().endsWith(INTEGRATION) ? "integration" : "unit";
            final String module = root.relativize(report).getName(0).toString();
            summary.modules.merge(module + " " + kind, summary.readOne(report), Counts::plus);
        }
        return summary;
    }

    private static Iterable<Path> reports(final Path root) throws IOException {
        try (Stream<Path> files = Files.find(root, 4, (path, attributes) -> isReport(path))) {
            return files.toList();
        }
    }

    private static boolean isReport(final Path path) {
        final Path folder = path.getParent();
        return path.getFileName().toString().matches("TEST-.*\\.xml")
                && (folder.endsWith(UNIT) || folder.endsWith(INTEGRATION));
    }

    private Counts readOne(final Path report) {
        final XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLConstants.ACCESS_EXTERNAL_DTD, "");
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        try (InputStream stream = Files.newInputStream(report)) {
            final XMLStreamReader xml = factory.createXMLStreamReader(stream);
            while (!xml.isStartElement()) {
                xml.next();
            }
            final Counts counts =
                    new Counts(
                            number(xml, "tests"),
                            number(xml, "failures") + number(xml, "errors"),
                            number(xml, "skipped"),
                            millis(xml));
            if (counts.skipped > 0) {
                readSkipped(xml);
            }
            return counts;
        } catch (final IOException | XMLStreamException e) {
            throw new BenchException("cannot read " + report + ": " + e, e);
        }
    }

    private void readSkipped(final XMLStreamReader xml) throws XMLStreamException {
        String test = "";
        while (xml.hasNext()) {
            if (xml.next() != XMLStreamConstants.START_ELEMENT) {
                continue;
            }
            if (xml.getLocalName().equals("testcase")) {
                test = text(xml, "classname") + "." + text(xml, "name");
            } else if (xml.getLocalName().equals("skipped")) {
                skipped.add(test + ": " + text(xml, "message").strip());
            }
        }
    }

    private static String text(final XMLStreamReader xml, final String attribute) {
        return Objects.requireNonNullElse(xml.getAttributeValue(null, attribute), "");
    }

    private static int number(final XMLStreamReader xml, final String attribute) {
        final String text = xml.getAttributeValue(null, attribute);
        return text == null ? 0 : Integer.parseInt(text);
    }

    /** Seconds with a fraction, and a comma after the thousands. */
    private static long millis(final XMLStreamReader xml) {
        final String text = text(xml, "time").replace(",", "");
        return text.isEmpty() ? 0 : Math.round(Double.parseDouble(text) * 1000);
    }

    /** Whether there were tests and none failed. */
    boolean isGood() {
        final Counts total = total();
        return total.run > 0 && total.failed == 0;
    }

    /** The tests that did not run, a line each, with the reason. */
    List<String> skipped() {
        return List.copyOf(skipped);
    }

    /** How many tests did not run. */
    int skippedCount() {
        return total().skipped;
    }

    /** How many tests there were. */
    int count() {
        return total().run;
    }

    private Counts total() {
        return modules.values().stream().reduce(Counts.NONE, Counts::plus);
    }

    /** A table, a line for each module and kind. */
    String render() {
        final TextTable table = new TextTable("tests", "run", "failed", "skipped", "seconds");
        modules.forEach((name, counts) -> row(table, name, counts));
        row(table, "all", total());
        return table.render();
    }

    private static void row(final TextTable table, final String name, final Counts counts) {
        table.row(
                name,
                String.valueOf(counts.run),
                String.valueOf(counts.failed),
                String.valueOf(counts.skipped),
                String.valueOf(Math.round(counts.millis / 1000.0)));
    }
}
