// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.site;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads JSON from the REST services of Hadoop's daemons. Thread-safe.
 *
 * @param web gets it
 */
public record Rest(Web web) {
    /** From this process. */
    public static final Rest DIRECT = new Rest(Web.DIRECT);

    private static final ObjectMapper MAPPER = new ObjectMapper();

    /**
     * Gets one resource.
     *
     * @throws FileNotFoundException when the daemon does not know it
     * @throws IOException when there is no answer, or it is not JSON
     */
    public JsonNode get(final URI uri) throws IOException {
        return MAPPER.readTree(web.get(uri));
    }

    /** The elements of a list; Hadoop writes a list of one as the element alone. */
    public static List<JsonNode> elements(final JsonNode list) {
        if (list.isArray()) {
            final List<JsonNode> elements = new ArrayList<>();
            list.forEach(elements::add);
            return elements;
        }
        return list.isObject() ? List.of(list) : List.of();
    }
}
