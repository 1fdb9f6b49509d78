package io.spillway.bench.site;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;

/** Reads JSON from the REST services of Hadoop's daemons. */
public final class Rest {
    private static final int CONNECT_MILLIS = 3_000;
    private static final int READ_MILLIS = 30_000;
    private static final int MOST_BYTES = 64 << 20;
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private Rest() {}

    /**
     * Gets one resource.
     *
     * @throws FileNotFoundException when the daemon does not know it
     * @throws IOException when there is no answer, or it is not JSON
     */
    public static JsonNode get(final URI uri) throws IOException {
        final HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
        connection.setConnectTimeout(CONNECT_MILLIS);
        connection.setReadTimeout(READ_MILLIS);
        connection.setRequestProperty("Accept", "application/json");
        try {
            final int code = connection.getResponseCode();
            if (code == HttpURLConnection.HTTP_NOT_FOUND) {
                throw new FileNotFoundException(uri.toString());
            }
            if (code != HttpURLConnection.HTTP_OK) {
                throw new IOException(uri + ": HTTP " + code);
            }
            try (InputStream body = connection.getInputStream()) {
                final byte[] bytes = body.readNBytes(MOST_BYTES + 1);
                if (bytes.length > MOST_BYTES) {
                    throw new IOException(uri + ": answer of more than " + MOST_BYTES + " bytes");
                }
                return MAPPER.readTree(bytes);
            }
        } finally {
            connection.disconnect();
        }
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
