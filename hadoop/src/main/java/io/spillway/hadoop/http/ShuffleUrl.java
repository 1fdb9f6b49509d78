// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.http;

import io.spillway.transport.NodeAddress;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where a completion event says that a map output is. Immutable.
 *
 * <p>{@link java.net.URI} finds no host in an authority that RFC 3986 does not allow, such as a
 * name with an underscore. Resolvers and connections take such names, so the text is split here.
 *
 * @param address host and shuffle port
 * @param base such as {@code http://host:13562}, without a slash at its end
 */
public record ShuffleUrl(NodeAddress address, String base) {
    private static final Logger LOG = LoggerFactory.getLogger(ShuffleUrl.class);

    private static final Pattern FORM =
            Pattern.compile("https?://(\\[[0-9A-Fa-f:.%a-z]+\\]|[^\\s/:@\\[\\]]+):([0-9]{1,5})/*");

    private static final int MAX_PORT = 65_535;

    /**
     * Splits a URL. One that names no host and port becomes an address that cannot be resolved: the
     * fetch of that map fails as one from an unknown host does, and no other.
     */
    public static ShuffleUrl parse(final String url) {
        final Matcher matcher = FORM.matcher(url == null ? "" : url);
        if (matcher.matches()) {
            final int port = Integer.parseInt(matcher.group(2));
            if (port <= MAX_PORT) {
                final String base = url.replaceFirst("/*$", "");
                return new ShuffleUrl(new NodeAddress(matcher.group(1), port), base);
            }
        }
        LOG.warn("taskTrackerHttp={}, expected http://host:port", url);
        return new ShuffleUrl(new NodeAddress("unusable address " + url, 0), String.valueOf(url));
    }
}
