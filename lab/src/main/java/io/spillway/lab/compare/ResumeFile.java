// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.compare;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import com.fasterxml.jackson.databind.annotation.JsonSerialize;
import com.fasterxml.jackson.databind.util.StdConverter;
import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.failure.CommandException;
import io.spillway.cli.run.JobFigures;
import io.spillway.cli.run.MapStages;
import io.spillway.lab.process.CommandOwner;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The file beside a comparison's results that lets it go on after a stop. It is whole at any time,
 * after a power failure too. Not thread-safe.
 */
public final class ResumeFile {
    /** Rises when files of an earlier one cannot be read. */
    static final int FORMAT = 3;

    private static final String SUFFIX = ".resume";
    private static final ObjectMapper MAPPER =
            new ObjectMapper()
                    .enable(SerializationFeature.INDENT_OUTPUT)
                    .addMixIn(JobFigures.class, JobFiguresText.class);

    private final Path file;

    /**
     * A stopped comparison.
     *
     * @param format of the file
     * @param options what it was asked to do, by which build and on which machine, by name
     * @param site what its jobs ran on, by name
     * @param owner the process that made it
     * @param cluster the local cluster that was started for it; null where there was none
     * @param saved its runs
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Content(
            int format,
            Map<String, String> options,
            Map<String, String> site,
            CommandOwner owner,
            String cluster,
            SavedRuns saved) {
        /** Copies what is mutable. */
        public Content {
            options = new TreeMap<>(options);
            site = new TreeMap<>(site);
        }

        /** Content of a file that is about to be written by this process. */
        public static Content of(
                final Map<String, String> options,
                final Map<String, String> site,
                final Optional<String> cluster,
                final SavedRuns saved) {
            return new Content(
                    FORMAT,
                    options,
                    site,
                    CommandOwner.ofThisProcess(),
                    cluster.orElse(null),
                    saved);
        }
    }

    /** The file beside the results of a comparison. */
    public ResumeFile(final Path results) {
        this.file = results.resolveSibling(results.getFileName() + SUFFIX);
    }

    /** Where it is. */
    public Path path() {
        return file;
    }

    /**
     * What it holds, where it is there.
     *
     * @throws BadInputException where it is not whole, or of another version
     */
    public Optional<Content> read() {
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try {
            return Optional.of(parse(Files.readString(file)));
        } catch (final IOException e) {
            throw new BadInputException("cannot read " + file + ": " + e);
        }
    }

    private Content parse(final String text) {
        final Content content;
        try {
            final int format = MAPPER.readTree(text).path("format").asInt();
            if (format != FORMAT) {
                throw damaged("format " + format + ", expected " + FORMAT);
            }
            content = MAPPER.readValue(text, Content.class);
        } catch (final JsonProcessingException e) {
            throw damaged(e.getOriginalMessage());
        }
        if (content == null || content.saved() == null || content.owner() == null) {
            throw damaged("runs or owner are missing");
        }
        return content;
    }

    private BadInputException damaged(final String reason) {
        return new BadInputException(
                file
                        + " is not what a stopped comparison leaves ("
                        + reason
                        + "); delete it to begin anew");
    }

    /** Replaces what it holds. */
    public void write(final Content content) {
        final Path partial = file.resolveSibling(file.getFileName() + ".partial");
        try (FileChannel channel =
                FileChannel.open(
                        partial,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.TRUNCATE_EXISTING)) {
            final ByteBuffer bytes =
                    StandardCharsets.UTF_8.encode(MAPPER.writeValueAsString(content) + "\n");
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true); // else a power failure may leave the new name with no bytes
            Files.move(partial, file, StandardCopyOption.REPLACE_EXISTING);
        } catch (final IOException e) {
            throw new CommandException("cannot write " + file + ": " + e, e);
        }
    }

    /** Deletes it, if it is there. */
    public void delete() {
        try {
            Files.deleteIfExists(file);
        } catch (final IOException e) {
            throw new CommandException("cannot delete " + file + ": " + e, e);
        }
    }

    /** Jackson needs a module for Optional: a list of at most one does without. */
    @SuppressWarnings("UnusedMethod") // Jackson reads it as a mix-in.
    private interface JobFiguresText {
        @JsonSerialize(converter = ToList.class)
        @JsonDeserialize(converter = ToOptional.class)
        Optional<MapStages> mapStages();
    }

    private static final class ToList extends StdConverter<Optional<MapStages>, List<MapStages>> {
        @Override
        public List<MapStages> convert(final Optional<MapStages> stages) {
            return stages.map(List::of).orElseGet(List::of);
        }
    }

    private static final class ToOptional
            extends StdConverter<List<MapStages>, Optional<MapStages>> {
        @Override
        public Optional<MapStages> convert(final List<MapStages> stages) {
            return stages.stream().findFirst();
        }
    }
}
