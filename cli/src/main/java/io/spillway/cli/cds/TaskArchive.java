// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.cds;

import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.failure.CommandException;
import io.spillway.cli.site.OwnJar;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * An archive of class data, and beside it the recipe it was made by. It is of one build of the JDK
 * and of one list of jars, each of one size and one time: a JVM that has others runs without it.
 *
 * @param recipe what it was made of
 * @param file the archive
 */
public record TaskArchive(ArchiveRecipe recipe, Path file) {
    static final String ENDING = ".jsa";
    private static final String RECIPE_ENDING = ".txt";
    private static final String LOADER = "io.spillway.cli.cds.ClassLoading";

    /**
     * Opens an archive that was made before.
     *
     * @throws BadInputException where it is not there, or its recipe is not
     */
    public static TaskArchive open(final Path file) {
        if (!Files.isRegularFile(file) || !file.toString().endsWith(ENDING)) {
            throw new BadInputException("no archive " + file + ", expected a file *" + ENDING);
        }
        return new TaskArchive(ArchiveRecipe.read(recipeOf(file)), file.toAbsolutePath());
    }

    /**
     * Makes an archive and gives it its name when it is whole and fits.
     *
     * @param folder where it is kept
     * @throws CommandException where the JVM makes none
     */
    public static TaskArchive make(final ArchiveRecipe recipe, final Path folder) {
        requirePlain(folder);
        requireJava(recipe);
        final String name = recipe.name(JavaBuild.of(recipe.java()));
        final String partial = name + ".partial-" + ProcessHandle.current().pid();
        final TaskArchive draft = new TaskArchive(recipe, folder.resolve(partial + ENDING));
        final TaskArchive archive = new TaskArchive(recipe, folder.resolve(name + ENDING));
        try {
            Files.createDirectories(folder);
            recipe.write(recipeOf(draft.file));
            draft.dump();
            Files.move(
                    recipeOf(draft.file), recipeOf(archive.file), StandardCopyOption.ATOMIC_MOVE);
            Files.move(draft.file, archive.file, StandardCopyOption.ATOMIC_MOVE);
            return archive;
        } catch (final IOException e) {
            throw new CommandException("cannot write to " + folder + ": " + e, e);
        } finally {
            draft.file.toFile().delete();
            recipeOf(draft.file).toFile().delete();
        }
    }

    /**
     * Checks that a path can be among the options of a task's JVM, which a shell reads.
     *
     * @throws BadInputException where it cannot
     */
    public static void requirePlain(final Path folder) {
        if (!folder.isAbsolute() || !folder.toString().matches("[A-Za-z0-9/._+=@~-]+")) {
            throw new BadInputException(
                    "folder "
                            + folder
                            + ": options of tasks' JVMs need an absolute path of letters, digits"
                            + " and ._+=@~- only; give another with --dir");
        }
    }

    private static void requireJava(final ArchiveRecipe recipe) {
        if (!Files.isExecutable(recipe.java())) {
            throw new BadInputException(
                    "no " + recipe.java() + ", the Java of the tasks: expected it on this host");
        }
    }

    private static Path recipeOf(final Path file) {
        final String path = file.toString();
        return Path.of(path.substring(0, path.length() - ENDING.length()) + RECIPE_ENDING);
    }

    /** Where the recipe is. */
    public Path recipeFile() {
        return recipeOf(file);
    }

    /**
     * Hadoop's own RunJar starts the loader, so that its jar is not on the class path. Nothing is
     * compiled meanwhile: a method that waits for the compiler when the archive is written seems to
     * stay marked so in it, and JVMs that use the archive interpret it for ever (17.0.15).
     */
    private void dump() {
        final JvmRun run =
                JvmRun.run(
                        List.of(
                                recipe.java().toString(),
                                "-Xint",
                                "-Xmx512m",
                                "-XX:ArchiveClassesAtExit=" + file,
                                "-cp",
                                recipe.classPath(),
                                "org.apache.hadoop.util.RunJar",
                                OwnJar.of(TaskArchive.class).toString(),
                                LOADER,
                                recipeOf(file).toString()),
                        Map.of("HADOOP_CLIENT_SKIP_UNJAR", "true"));
        if (!run.succeeded() || !Files.exists(file)) {
            throw new CommandException(
                    recipe.java() + " makes no archive, it ends with " + end(run));
        }
        problem()
                .ifPresent(
                        why -> {
                            throw new CommandException(
                                    "the archive just made is of no use: " + why);
                        });
    }

    private static String end(final JvmRun run) {
        final List<String> lines = run.text().lines().filter(line -> !line.isBlank()).toList();
        return run.exitCode()
                + ": "
                + String.join("; ", lines.subList(Math.max(0, lines.size() - 4), lines.size()));
    }

    /**
     * Why the JVM of this host that is named in the recipe does not take it; nothing if it does.
     */
    public Optional<String> problem() {
        requireJava(recipe);
        final List<String> command = new ArrayList<>();
        command.addAll(List.of(recipe.java().toString(), "-Xshare:on"));
        command.addAll(JvmOptions.AT_ITS_ADDRESS);
        command.addAll(
                List.of("-XX:SharedArchiveFile=" + file, "-cp", recipe.classPath(), "-version"));
        final JvmRun run = JvmRun.quick(command);
        return run.succeeded() ? Optional.empty() : Optional.of(run.line());
    }

    /** The options of a JVM that uses it. */
    public String options() {
        return JvmOptions.sharing(file.toString(), recipe.classPath());
    }

    /**
     * The properties of jobs whose JVMs use it.
     *
     * @param configured gives what is set for a property without it
     * @throws BadInputException where what is set names a class path or an archive
     */
    public Map<String, String> jobProperties(final Function<String, Optional<String>> configured) {
        return JvmOptions.add(configured, options());
    }
}
