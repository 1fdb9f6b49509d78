// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.compare;

import io.spillway.cli.cds.JvmOptions;
import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.failure.CommandException;
import io.spillway.cli.run.Engine;
import io.spillway.cli.run.JobFigures;
import io.spillway.cli.run.JobSpec;
import io.spillway.cli.run.Jobs;
import io.spillway.cli.run.SiteFiles;
import io.spillway.cli.site.WorkFolder;
import io.spillway.conf.Sizes;
import io.spillway.lab.compare.workload.Workload;
import io.spillway.lab.engine.EngineConfig;
import io.spillway.lab.job.LabPrograms;
import io.spillway.placement.conf.PlacementKeys;
import io.spillway.transport.choice.TransportKeys;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Runs one workload with several engines on the same data and configuration, in turns, and compares
 * what comes out before how long it took.
 */
public final class Comparison {
    /** Input, output, spills and merges of stock Hadoop, over the input: 4.1 measured at most. */
    private static final double SPACE_FACTOR = 4.5;

    private static final long SPACE_RESERVE = 1L << 30;

    /** Each input file is one split, whatever its length. */
    private static final Map<String, String> ONE_SPLIT_A_FILE =
            Map.of("mapreduce.input.fileinputformat.split.minsize", String.valueOf(Long.MAX_VALUE));

    /** So much is made faster than JVMs are started for it. */
    private static final long LITTLE = 128L << 20;

    private final Plan plan;
    private final Jobs jobs;
    private final SiteFiles files;
    private final Supplier<List<String>> sources;
    private final OutputCheck check;
    private final String name;
    private final String folder;

    /**
     * What to compare.
     *
     * @param workload the job
     * @param bytes size of its input
     * @param engines the first is what the others are compared with
     * @param repeats runs of each engine
     * @param warmUp whether one run of each engine goes before that does not count
     * @param maps number of maps, and of input files
     * @param reduces number of reduces
     * @param properties of all jobs
     */
    public record Plan(
            Workload workload,
            long bytes,
            List<EngineConfig> engines,
            int repeats,
            boolean warmUp,
            int maps,
            int reduces,
            Map<String, String> properties) {
        private static final long MOST_BYTES = 1L << 50;

        /** Checks every value. */
        public Plan {
            engines = List.copyOf(engines);
            properties = Map.copyOf(properties);
            require("--size", bytes, 1 << 10, MOST_BYTES);
            require("--repeat", repeats, 1, 1000);
            require("--maps", maps, 1, 100_000);
            require("--reduces", reduces, 1, 100_000);
            if (engines.isEmpty() || engines.stream().distinct().count() < engines.size()) {
                throw new BadInputException("--engines: expected each engine once, at least one");
            }
        }

        private static void require(
                final String option, final long value, final long min, final long max) {
            if (value < min || value > max) {
                throw new BadInputException(
                        option + " " + value + ": expected " + min + " to " + max);
            }
        }

        /** The same with these properties of all jobs added. */
        public Plan with(final Map<String, String> more) {
            final Map<String, String> all = new TreeMap<>(properties);
            all.putAll(more);
            return new Plan(workload, bytes, engines, repeats, warmUp, maps, reduces, all);
        }

        /** Whether the jobs' JVMs use an archive of class data. */
        public boolean sharesClassData() {
            return JvmOptions.share(properties);
        }

        /** All of it, by plain keys. */
        public Map<String, Object> facts() {
            final Map<String, Object> facts = new LinkedHashMap<>();
            facts.put("workload", workload.label());
            facts.put("bytes", bytes);
            facts.put("engines", engines.stream().map(EngineConfig::label).toList());
            facts.put("transport", transport());
            facts.put("repeats", repeats);
            facts.put("warmUp", warmUp);
            facts.put("maps", maps);
            facts.put("reduces", reduces);
            facts.put("sharesClassData", sharesClassData());
            facts.put("properties", JvmOptions.withoutSharing(properties));
            return facts;
        }

        /** What Spillway's reducers are set to fetch with; that is auto where nothing is set. */
        public String transport() {
            return TransportKeys.TRANSPORT.get(properties::get);
        }

        /** Maps for an input of this size: 256 MiB each, at least 4, so that there is a merge. */
        public static int mapsFor(final long bytes) {
            final long each = 256L << 20;
            return (int) Math.max(4, Math.min(100_000, (bytes + each - 1) / each));
        }
    }

    /**
     * Prepares a comparison.
     *
     * @param jobs runs the jobs
     * @param sources gives the jars with text to the workloads that read text
     * @param check looks at the data too
     */
    public Comparison(
            final Plan plan,
            final Jobs jobs,
            final Supplier<List<String>> sources,
            final OutputCheck check) {
        this.plan = plan;
        this.jobs = jobs;
        this.files = new SiteFiles(jobs.site());
        this.sources = sources;
        this.check = check;
        this.name =
                plan.workload().label()
                        + "-"
                        + ProcessHandle.current().pid()
                        + "-"
                        + Long.toString(System.currentTimeMillis(), Character.MAX_RADIX);
        this.folder = jobs.site().dataFolder() + "/" + name;
    }

    /**
     * Runs everything, and deletes its data.
     *
     * @param soFar receives, after each run that counts, what there is so far
     * @throws CommandException when a job fails; outputs that differ are in the result
     */
    public ComparisonResult run(final Consumer<ComparisonResult> soFar) {
        return run(SavedRuns.NONE, saved -> {}, soFar);
    }

    /**
     * Runs what has not been run before, and deletes its data. The input of a former process is
     * used again where it is as it was made; else it is made again, the same.
     *
     * @param before what a former process has run of the same plan
     * @param save receives, after each run that counts, what to begin with after a stop
     * @param soFar receives, before it and after each run that counts, what there is so far
     * @throws BadInputException where what was run before is not of this plan
     * @throws CommandException when a job fails; outputs that differ are in the result
     */
    public ComparisonResult run(
            final SavedRuns before,
            final Consumer<SavedRuns> save,
            final Consumer<ComparisonResult> soFar) {
        ComparisonResult result = before.resultOf(plan, jobs.site().dataOnLocalFiles());
        if (!before.isEmpty()) {
            soFar.accept(result);
        }
        if (result.isComplete()) {
            deleteInput(before);
            return result;
        }
        requireMemoryNodes();
        requireSharedDirectory();
        requireSharedLocalDirs();
        requireSpace();
        SavedRuns saved = before;
        try {
            if (!hasInput(before)) {
                deleteInput(before);
                saved = makeInput(before);
            }
            final String input = input(saved.folder());
            check.onInput(input, folder);
            if (plan.warmUp()) {
                plan.engines().forEach(engine -> runOnce(input, engine, 0));
            }
            while (!result.isComplete()) {
                result = withNext(input, result);
                saved = saved.with(result);
                save.accept(saved);
                soFar.accept(result);
            }
            return result;
        } finally {
            files.delete(folder);
            deleteInput(saved);
        }
    }

    /** One run more, after its round's copy. */
    private ComparisonResult withNext(final String input, final ComparisonResult result) {
        final int next = result.runs().size();
        final int repeat = next / plan.engines().size() + 1;
        final EngineConfig engine = plan.engines().get(next % plan.engines().size());
        final ComparisonResult withCopy =
                result.copies().size() < repeat ? result.withCopy(runCopy(input, repeat)) : result;
        return withCopy.withRun(runOnce(input, engine, repeat));
    }

    private boolean hasInput(final SavedRuns before) {
        return before.hasInputOf(plan.workload().label())
                && files.totals(input(before.folder())).equals(Optional.of(before.input()));
    }

    private SavedRuns makeInput(final SavedRuns before) {
        jobs.run(generator());
        return before.withInput(
                name,
                files.totals(input(name))
                        .orElseThrow(() -> new CommandException("no input in " + folder)));
    }

    /** Deletes the input of a former process, and only what such a one has made. */
    private void deleteInput(final SavedRuns saved) {
        if (saved.hasInputOf(plan.workload().label()) && !saved.folder().equals(name)) {
            files.delete(jobs.site().dataFolder() + "/" + saved.folder());
        }
    }

    /**
     * Checks that there is room for the data of a comparison.
     *
     * @throws BadInputException when there is not
     */
    public static void requireSpace(final Plan plan, final Path folder) {
        WorkFolder.requireSpace(
                folder,
                (long) (plan.bytes() * SPACE_FACTOR) + SPACE_RESERVE,
                plan.workload().label() + " with --size " + Sizes.format(plan.bytes()));
    }

    /** Without them such an engine's jobs would run, and be another engine's. */
    private void requireMemoryNodes() {
        if (jobs.site().property(PlacementKeys.PLACEMENT_SERVICE.name()).isPresent()
                || plan.properties().containsKey(PlacementKeys.PLACEMENT_SERVICE.name())) {
            return;
        }
        plan.engines().stream()
                .filter(contender -> contender.engine().needsMemoryNodes())
                .findFirst()
                .ifPresent(
                        contender -> {
                            throw new BadInputException(
                                    "engine '"
                                            + contender.label()
                                            + "': this site has no memory nodes ("
                                            + PlacementKeys.PLACEMENT_SERVICE
                                            + " is not in its files); a local cluster is started"
                                            + " with them by --memory-nodes");
                        });
    }

    /** Without the directory the engine's jobs would run with all outputs on local disk. */
    private void requireSharedDirectory() {
        final String name = "spillway.store.lustre.dir";
        if (jobs.site().property(name).isPresent() || plan.properties().containsKey(name)) {
            return;
        }
        plan.engines().stream()
                .filter(contender -> contender.engine().needsSharedDirectory())
                .findFirst()
                .ifPresent(
                        contender -> {
                            throw new BadInputException(
                                    "engine '"
                                            + contender.label()
                                            + "': expected "
                                            + name
                                            + " in this site's files; a local cluster has it by"
                                            + " --shared-fs");
                        });
    }

    /** The site's files say so, as those of its NodeManagers do. */
    private void requireSharedLocalDirs() {
        final Optional<String> shared = jobs.site().property("spillway.store.lustre.dir");
        final boolean onIt =
                jobs.site()
                        .property("yarn.nodemanager.local-dirs")
                        .filter(dirs -> shared.isPresent() && dirs.startsWith(shared.get()))
                        .isPresent();
        final boolean asked =
                plan.engines().stream()
                        .anyMatch(contender -> contender.engine() == Engine.STOCK_LUSTRE);
        if (asked && !onIt) {
            throw new BadInputException(
                    "engine '"
                            + Engine.STOCK_LUSTRE.label()
                            + "': expected yarn.nodemanager.local-dirs below"
                            + " spillway.store.lustre.dir in this site's files; a local cluster"
                            + " has them there by --shared-fs --diskless");
        }
    }

    private void requireSpace() {
        jobs.site().storage().ifPresent(folder -> requireSpace(plan, folder));
    }

    private String input(final String owner) {
        return jobs.site().dataFolder() + "/" + owner + "/input";
    }

    private JobSpec generator() {
        final Workload.Input input =
                new Workload.Input(input(name), plan.bytes(), plan.maps(), plan.reduces(), sources);
        final JobSpec generator =
                plan.workload()
                        .generator(input)
                        .labelled("Make " + plan.workload().label() + " data")
                        .with(plan.properties());
        return plan.bytes() <= LITTLE ? generator.unmeasured() : generator;
    }

    private JobFigures runCopy(final String input, final int repeat) {
        final String output = folder + "/copy-" + repeat;
        final JobFigures figures =
                jobs.measure(
                        LabPrograms.tool("copy", input, output)
                                .with(plan.workload().copyProperties())
                                .with(ONE_SPLIT_A_FILE)
                                .labelled("Copy without shuffle" + turn(repeat))
                                .with(plan.properties()));
        files.delete(output);
        return figures;
    }

    private EngineRun runOnce(final String input, final EngineConfig engine, final int repeat) {
        final String output = folder + "/" + engine.label() + "-" + repeat;
        final String turn = turn(repeat);
        final JobFigures figures =
                jobs.measure(
                        engine.complete(
                                plan.workload()
                                        .job(input, output, plan.reduces())
                                        .with(ONE_SPLIT_A_FILE)
                                        .with(reduces())
                                        .labelled(
                                                plan.workload().label()
                                                        + " "
                                                        + engine.label()
                                                        + turn),
                                plan.properties(),
                                plan.bytes() / plan.maps(),
                                jobs.site()));
        final List<PartDigest> digests =
                PartDigest.parse(
                        jobs.run(
                                        plan.workload()
                                                .check(input, output)
                                                .with(plan.properties())
                                                .labelled("Check " + engine.label() + turn))
                                .output());
        check.onOutput(output, folder, engine);
        files.delete(output);
        return new EngineRun(engine, repeat, figures, digests);
    }

    private Map<String, String> reduces() {
        return Map.of("mapreduce.job.reduces", String.valueOf(plan.reduces()));
    }

    private String turn(final int repeat) {
        return repeat == 0 ? " (warm-up)" : " " + repeat + "/" + plan.repeats();
    }
}
