// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.compare;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.spillway.cli.failure.CommandException;
import io.spillway.cli.report.JobReports;
import io.spillway.cli.report.TextTable;
import io.spillway.cli.run.JobFigures;
import io.spillway.conf.Sizes;
import io.spillway.lab.engine.EngineConfig;
import io.spillway.lab.report.Machine;
import io.spillway.report.ShuffleCounter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * What a comparison found.
 *
 * @param plan what was compared
 * @param copies the job without a shuffle, one of each round
 * @param runs every counted run, in the order they were made
 * @param outputOnLocalFiles whether outputs count among the bytes written to local files
 */
public record ComparisonResult(
        Comparison.Plan plan,
        List<JobFigures> copies,
        List<EngineRun> runs,
        boolean outputOnLocalFiles) {
    /** Of the JSON; rises when a key changes its meaning or goes. */
    static final int SCHEMA = 2;

    /** Copies what is mutable. */
    public ComparisonResult {
        copies = List.copyOf(copies);
        runs = List.copyOf(runs);
    }

    /** Before the first round. */
    static ComparisonResult nothingYet(
            final Comparison.Plan plan, final boolean outputOnLocalFiles) {
        return new ComparisonResult(plan, List.of(), List.of(), outputOnLocalFiles);
    }

    /** The same with the copy of one round more. */
    ComparisonResult withCopy(final JobFigures copy) {
        return new ComparisonResult(plan, append(copies, copy), runs, outputOnLocalFiles);
    }

    /** The same with one run more, of the present round. */
    ComparisonResult withRun(final EngineRun run) {
        return new ComparisonResult(plan, copies, append(runs, run), outputOnLocalFiles);
    }

    private static <T> List<T> append(final List<T> list, final T last) {
        final List<T> longer = new ArrayList<>(list);
        longer.add(last);
        return longer;
    }

    /** Whether every run of the plan is there. */
    public boolean isComplete() {
        return runs.size() == plan.repeats() * plan.engines().size();
    }

    /** The number of maps that the jobs had. */
    public int maps() {
        return copies.get(0).maps();
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
        return copies.get(0).task("MAP_INPUT_RECORDS").total();
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

    /** The runs of one engine. */
    List<JobFigures> of(final EngineConfig engine) {
        return runs.stream()
                .filter(run -> run.engine().equals(engine))
                .map(EngineRun::figures)
                .toList();
    }

    private List<Measure> measures() {
        return Measure.all(plan.bytes(), outputOnLocalFiles);
    }

    /**
     * The table of medians, each with its spread where there are several runs, and the ratios of
     * the first engine to the others.
     *
     * @param withDetails whether it has every row, not only those that matter most
     */
    public String table(final boolean withDetails) {
        final List<EngineConfig> engines = engines();
        final List<String> heads = new ArrayList<>(List.of("", "copy (n=" + copies.size() + ")"));
        engines.forEach(engine -> heads.add(head(engine)));
        engines.stream()
                .skip(1)
                .forEach(engine -> heads.add(engines.get(0).label() + "/" + engine.label()));
        final TextTable table = new TextTable(heads.toArray(String[]::new));
        measures().stream()
                .filter(measure -> withDetails || measure.isMain())
                .filter(this::isKnown)
                .forEach(measure -> table.row(row(measure)));
        return table.render();
    }

    /** The engines that have run, in the order of the plan. */
    private List<EngineConfig> engines() {
        return plan.engines().stream().filter(engine -> !of(engine).isEmpty()).toList();
    }

    /** Whether any engine or the copy has a value. */
    private boolean isKnown(final Measure measure) {
        return (measure.ofCopy() && !Double.isNaN(ofCopies(measure).median()))
                || engines().stream()
                        .anyMatch(engine -> !Double.isNaN(spread(engine, measure).median()));
    }

    private String head(final EngineConfig engine) {
        return engine.label()
                + (emulatesNvm(engine) ? " (emulated NVM)" : "")
                + disk(engine)
                + " (n="
                + of(engine).size()
                + ")";
    }

    private String disk(final EngineConfig engine) {
        final OptionalLong rate = engine.centralDiskRate(plan.properties());
        return rate.isEmpty() ? "" : " (emulated, " + Sizes.format(rate.getAsLong()) + "/s)";
    }

    /** The bytes a second of disks that were emulated, by engine. */
    private Map<String, Long> emulatedDisks() {
        final Map<String, Long> rates = new LinkedHashMap<>();
        for (final EngineConfig engine : engines()) {
            engine.centralDiskRate(plan.properties())
                    .ifPresent(rate -> rates.put(engine.label(), rate));
        }
        return rates;
    }

    /** Whether an engine kept anything in memory that stood for NVM. */
    private boolean emulatesNvm(final EngineConfig engine) {
        return of(engine).stream().anyMatch(job -> emulated(job) > 0);
    }

    private static long emulated(final JobFigures job) {
        return Stream.of(
                        ShuffleCounter.SPILL_EMULATED_NVM_BYTES,
                        ShuffleCounter.OUTPUT_EMULATED_NVM_BYTES)
                .mapToLong(figure -> job.figure(figure).total())
                .sum();
    }

    private List<String> row(final Measure measure) {
        final List<String> cells = new ArrayList<>();
        cells.add(measure.label());
        cells.add(measure.ofCopy() ? render(ofCopies(measure)) : "");
        final List<Spread> spreads = new ArrayList<>();
        for (final EngineConfig engine : engines()) {
            final Spread spread = spread(engine, measure);
            spreads.add(spread);
            cells.add(render(spread));
        }
        spreads.stream().skip(1).forEach(other -> cells.add(ratio(spreads.get(0), other)));
        return cells;
    }

    private Spread spread(final EngineConfig engine, final Measure measure) {
        return Spread.of(
                runs.stream()
                        .filter(run -> run.engine().equals(engine))
                        .map(run -> measure.value().of(run.figures(), copies.get(run.repeat() - 1)))
                        .toList());
    }

    private Spread ofCopies(final Measure measure) {
        return Spread.of(copies.stream().map(copy -> measure.value().of(copy, copy)).toList());
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

    /**
     * Everything as JSON.
     *
     * @param facts of the build and of the place where it ran, by plain keys
     */
    public String json(final Machine machine, final Map<String, Object> facts) {
        final Map<String, Object> tree = new LinkedHashMap<>();
        tree.put("schema", SCHEMA);
        tree.put("isComplete", isComplete());
        tree.put("machine", machine);
        tree.put("site", facts);
        tree.put("plan", plan.facts());
        tree.put("outputsAgree", outputsAgree());
        tree.put("outputsIdentical", outputsIdentical());
        tree.put(
                "emulatedNvm",
                engines().stream().filter(this::emulatesNvm).map(EngineConfig::label).toList());
        tree.put("emulatedDisks", emulatedDisks());
        tree.put("medians", medians());
        tree.put("copies", copies.stream().map(JobReports::describe).toList());
        tree.put("runs", runs.stream().map(ComparisonResult::describe).toList());
        try {
            return new ObjectMapper()
                            .enable(SerializationFeature.INDENT_OUTPUT)
                            .writeValueAsString(tree)
                    + "\n";
        } catch (final JsonProcessingException e) {
            throw new CommandException("cannot render the comparison", e);
        }
    }

    private Map<String, Map<String, Spread>> medians() {
        final Map<String, Map<String, Spread>> tree = new LinkedHashMap<>();
        for (final EngineConfig engine : engines()) {
            final Map<String, Spread> values = new LinkedHashMap<>();
            for (final Measure measure : measures()) {
                final Spread spread = spread(engine, measure);
                if (!Double.isNaN(spread.median())) {
                    values.put(measure.key(), spread);
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
