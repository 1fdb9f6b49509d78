// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport;

/**
 * The rule for the names that a framework gives to jobs and to their outputs. Transports and frames
 * look at nothing else of a name. A name that keeps the rule is safe in a log line, and as one part
 * of a path it leads neither up nor to another folder. What a name means, and which outputs belong
 * to which job, is decided by who serves them.
 */
public final class OpaqueId {
    /** The longest name, in characters; each is one byte on the wire. */
    public static final int MAX_LENGTH = 96;

    /** The rule, for messages. */
    public static final String EXPECTED =
            "1 to "
                    + MAX_LENGTH
                    + " letters, digits, '_', '.' or '-' of ASCII, without '..', the first a letter"
                    + " or digit";

    private OpaqueId() {}

    /** Whether a name keeps the rule. */
    public static boolean isValid(final String id) {
        if (id.isEmpty() || id.length() > MAX_LENGTH || !isLetterOrDigit(id.charAt(0))) {
            return false;
        }
        for (int i = 1; i < id.length(); i++) {
            final char c = id.charAt(i);
            if (!isLetterOrDigit(c) && c != '_' && c != '-' && c != '.') {
                return false;
            }
            if (c == '.' && id.charAt(i - 1) == '.') {
                return false;
            }
        }
        return true;
    }

    /**
     * Checks a name.
     *
     * @param field what the name is of, for the message
     * @return the name
     * @throws IllegalArgumentException where it does not keep the rule
     */
    public static String require(final String field, final String id) {
        if (!isValid(id)) {
            throw new IllegalArgumentException(field + "=" + id + ", expected " + EXPECTED);
        }
        return id;
    }

    private static boolean isLetterOrDigit(final char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    }
}
