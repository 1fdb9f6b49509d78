package io.spillway.bench.compare;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.spillway.bench.BenchException;
import io.spillway.bench.engine.Contender;
import io.spillway.bench.report.JobReports;
import io.spillway.bench.report.Machine;
import io.spillway.bench.report.TextTable;
import io.spillway.bench.run.JobFigures;
import io.spillway.report.ShuffleFigure;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What a comparison found.
 *
 * @param plan what was compared
 * @param copy the job without a shuffle
 * @param runs every counted run, in the order they were made
 * @param outputOnLocalFiles whether outputs count among the bytes written to local files
 */
public record ComparisonResult(
        Comparison.Plan plan, JobFigures copy, List<EngineRun> runs, boolean outputOnLocalFiles) {
    /** Copies what is mutable. */
    public ComparisonResult {
        runs = List.copyOf(runs);
    }

    /**
     * Whether all outputs have the same records in each part, are sorted, and have as many records
     * as the input where the job keeps all.
     */
    public boolean outputsAgree() {
        final List<PartDigest> first = runs.get(0).output();
        return runs.stream().allMatch(run -> agrees(first, run.output()));
    }

    private boolean agrees(final List<PartDigest> first, final List<PartDigest> output) {
        return PartDigest.sameRecords(first, output)
                && PartDigest.sorted(output)
                && (!plan.workload().keepsRecords()
                        || PartDigest.records(output) == inputRecords());
    }

    /** Records of the input. */
    public long inputRecords() {
        return copy.task("MAP_INPUT_RECORDS").total();
    }

    /** Records of the output of the first run. */
    public long outputRecords() {
        return PartDigest.records(runs.get(0).output());
    }

    /**
     * One line for each run whose output differs from the first, is not sorted or lacks records.
     */
    public List<String> disagreements() {
        final List<PartDigest> first = runs.get(0).output();
        return runs.stream()
                .filter(run -> !agrees(first, run.output()))
                .map(
                        run ->
                                run.engine().label()
                                        + " run "
                                        + run.repeat()
                                        + ": "
                                        + run.output()
                                        + ", first run: "
                                        + first
                                        + ", records of the input: "
                                        + inputRecords())
                .toList();
    }

    /** Whether all outputs have the same records in the same order. */
    public boolean outputsIdentical() {
        final List<PartDigest> first = runs.get(0).output();
        return outputsAgree()
                && runs.stream().allMatch(run -> PartDigest.identical(first, run.output()));
    }

    /** CPU seconds a gigabyte (10^9 bytes) of input beyond the copy. */
    double shuffleTax(final JobFigures job) {
        final double extra = job.cpuMillis().total() - copy.cpuMillis().total();
        return extra / 1e3 / (plan.bytes() / 1e9);
    }

    /** The runs of one engine. */
    List<JobFigures> of(final Contender engine) {
        return runs.stream()
                .filter(run -> run.engine().equals(engine))
                .map(EngineRun::figures)
                .toList();
    }

    private List<Measure> measures() {
        return Measure.all(this::shuffleTax, outputOnLocalFiles);
    }

    /**
     * The table of medians, each with its spread where there are several runs, and the ratios of
     * the first engine to the others.
     */
    public String table() {
        final List<Contender> engines = plan.engines();
        final List<String> heads = new ArrayList<>(List.of("", "copy"));
        engines.forEach(engine -> heads.add(head(engine)));
        engines.stream()
                .skip(1)
                .forEach(engine -> heads.add(engines.get(0).label() + "/" + engine.label()));
        final TextTable table = new TextTable(heads.toArray(String[]::new));
        measures().stream().filter(this::isKnown).forEach(measure -> table.row(row(measure)));
        return table.render();
    }

    /** Whether any engine or the copy has a value. */
    private boolean isKnown(final Measure measure) {
        return measure.ofCopy()
                || plan.engines().stream()
                        .anyMatch(engine -> !Double.isNaN(spread(engine, measure).median()));
    }

    private String head(final Contender engine) {
        return engine.label() + (emulatesNvm(engine) ? " (emulated NVM)" : "");
    }

    /** Whether an engine kept anything in memory that stood for NVM. */
    private boolean emulatesNvm(final Contender engine) {
        return of(engine).stream().anyMatch(job -> emulated(job) > 0);
    }

    private static long emulated(final JobFigures job) {
        return Stream.of(
                        ShuffleFigure.SPILL_EMULATED_NVM_BYTES,
                        ShuffleFigure.OUTPUT_EMULATED_NVM_BYTES)
                .mapToLong(figure -> job.counter(ShuffleFigure.GROUP, figure.name()).total())
                .sum();
    }

    private List<String> row(final Measure measure) {
        final List<String> cells = new ArrayList<>();
        cells.add(measure.label());
        cells.add(measure.ofCopy() ? number(measure.value().applyAsDouble(copy)) : "");
        final List<Spread> spreads = new ArrayList<>();
        for (final Contender engine : plan.engines()) {
            final Spread spread = spread(engine, measure);
            spreads.add(spread);
            cells.add(render(spread));
        }
        spreads.stream().skip(1).forEach(other -> cells.add(ratio(spreads.get(0), other)));
        return cells;
    }

    private Spread spread(final Contender engine, final Measure measure) {
        return Spread.of(of(engine).stream().map(measure.value()::applyAsDouble).toList());
    }

    private String render(final Spread spread) {
        return plan.repeats() == 1 || Double.isNaN(spread.median())
                ? number(spread.median())
                : number(spread.median())
                        + " ("
                        + number(spread.min())
                        + ".."
                        + number(spread.max())
                        + ")";
    }

    private static String ratio(final Spread one, final Spread other) {
        return Double.isNaN(one.median()) || !(other.median() > 0)
                ? "-"
                : String.format(Locale.ROOT, "%.2fx", one.median() / other.median());
    }

    private static String number(final double value) {
        if (Double.isNaN(value)) {
            return "";
        }
        final int digits = value == 0 || Math.abs(value) >= 10 ? 1 : Math.abs(value) >= 1 ? 2 : 3;
        return String.format(Locale.ROOT, "%." + digits + "f", value);
    }

    /** Everything as JSON. */
    public String json(final Machine machine) {
        final Map<String, Object> tree = new LinkedHashMap<>();
        tree.put("machine", machine);
        tree.put("plan", describePlan());
        tree.put("outputsAgree", outputsAgree());
        tree.put("outputsIdentical", outputsIdentical());
        tree.put(
                "emulatedNvm",
                plan.engines().stream().filter(this::emulatesNvm).map(Contender::label).toList());
        tree.put("medians", medians());
        tree.put("copy", JobReports.describe(copy));
        tree.put("runs", runs.stream().map(ComparisonResult::describe).toList());
        try {
            return new ObjectMapper()
                            .enable(SerializationFeature.INDENT_OUTPUT)
                            .writeValueAsString(tree)
                    + "\n";
        } catch (final JsonProcessingException e) {
            throw new BenchException("cannot render the comparison", e);
        }
    }

    private Map<String, Object> describePlan() {
        final Map<String, Object> tree = new LinkedHashMap<>();
        tree.put("workload", plan.workload().label());
        tree.put("bytes", plan.bytes());
        tree.put("engines", plan.engines().stream().map(Contender::label).toList());
        tree.put("transport", plan.transport());
        tree.put("repeats", plan.repeats());
        tree.put("warmUp", plan.warmUp());
        tree.put("maps", plan.maps());
        tree.put("reduces", plan.reduces());
        tree.put("properties", plan.properties());
        return tree;
    }

    private Map<String, Map<String, Spread>> medians() {
        final Map<String, Map<String, Spread>> tree = new LinkedHashMap<>();
        for (final Contender engine : plan.engines()) {
            final Map<String, Spread> values = new LinkedHashMap<>();
            for (final Measure measure : measures()) {
                final Spread spread = spread(engine, measure);
                if (!Double.isNaN(spread.median())) {
                    values.put(measure.label().strip(), spread);
                }
            }
            tree.put(engine.label(), values);
        }
        return tree;
    }

    private static Map<String, Object> describe(final EngineRun run) {
        final Map<String, Object> tree = new LinkedHashMap<>();
        tree.put("engine", run.engine().label());
        tree.put("repeat", run.repeat());
        tree.put("output", run.output());
        tree.putAll(JobReports.describe(run.figures()));
        return tree;
    }
}
