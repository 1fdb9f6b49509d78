// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.exhibit;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.spillway.cli.failure.BadInputException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.stream.Collectors;

/**
 * All exhibits, paper by paper.
 *
 * @param papers that they come from
 * @param exhibits in the papers' order
 */
public record Exhibits(List<Paper> papers, List<Exhibit> exhibits) {
    private static final String FILE = "exhibits.json";

    /** Copies what is mutable. */
    public Exhibits {
        papers = List.copyOf(papers);
        exhibits = List.copyOf(exhibits);
    }

    /**
     * A paper.
     *
     * @param id the first part of its exhibits' ids
     * @param title of it, with its year
     * @param machines that it measured on
     * @param differs the differences that all exhibits of the paper have, in sentences
     * @param scale of its machines, for the model
     */
    public record Paper(
            String id, String title, String machines, String differs, PaperScale scale) {}

    /** Reads the exhibits of this build. */
    public static Exhibits load() {
        try (InputStream in = Exhibits.class.getResourceAsStream(FILE)) {
            return new ObjectMapper().readValue(in, Exhibits.class);
        } catch (final IOException e) {
            throw new UncheckedIOException("cannot read " + FILE, e);
        }
    }

    /**
     * Finds the exhibit with an id.
     *
     * @throws BadInputException when there is none; the message lists all ids
     */
    public Exhibit named(final String id) {
        return exhibits.stream()
                .filter(exhibit -> exhibit.id().equals(id))
                .findFirst()
                .orElseThrow(
                        () ->
                                new BadInputException(
                                        "exhibit '"
                                                + id
                                                + "': expected one of "
                                                + exhibits.stream()
                                                        .map(Exhibit::id)
                                                        .collect(Collectors.joining(", "))));
    }

    /**
     * Returns the exhibit whose runs an exhibit shows. For most exhibits it is the exhibit itself.
     */
    public Exhibit sourceOf(final Exhibit exhibit) {
        return exhibit.setup().runsOf() == null ? exhibit : named(exhibit.setup().runsOf());
    }

    /** Returns the exhibits whose runs make up an exhibit. */
    public List<Exhibit> sourcesOf(final Exhibit exhibit) {
        return exhibit.chart().kind() == Exhibit.Kind.RADAR
                ? RadarPlot.sources().stream().map(this::named).toList()
                : List.of(sourceOf(exhibit));
    }

    /** The paper of an exhibit. */
    public Paper paperOf(final Exhibit exhibit) {
        return papers.stream()
                .filter(paper -> paper.id().equals(exhibit.origin().paper()))
                .findFirst()
                .orElseThrow();
    }
}
