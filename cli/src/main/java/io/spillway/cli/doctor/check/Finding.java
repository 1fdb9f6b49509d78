// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.check;

import java.util.Objects;

/**
 * One thing that is not as it should be. Immutable.
 *
 * @param severity how bad it is
 * @param check which check has found it; empty until the check's name is known
 * @param what is seen, with its value
 * @param why it matters
 * @param mend the command or the setting that mends it
 */
public record Finding(Severity severity, String check, String what, String why, String mend) {
    /** Checks its arguments. */
    public Finding {
        Objects.requireNonNull(severity, "severity");
        Objects.requireNonNull(check, "check");
        Objects.requireNonNull(what, "what");
        Objects.requireNonNull(why, "why");
        Objects.requireNonNull(mend, "mend");
    }

    /** Something fails. */
    public static Finding error(final String what, final String why, final String mend) {
        return new Finding(Severity.ERROR, "", what, why, mend);
    }

    /** Something is worse than it could be. */
    public static Finding warning(final String what, final String why, final String mend) {
        return new Finding(Severity.WARNING, "", what, why, mend);
    }

    /** Something is worth knowing. */
    public static Finding note(final String what, final String why, final String mend) {
        return new Finding(Severity.NOTE, "", what, why, mend);
    }

    /** The same, with the name of its check. */
    public Finding by(final String name) {
        return new Finding(severity, name, what, why, mend);
    }
}
