// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.failure;

/** Something a person must know about went wrong; the message is one clear line for them. */
public class CommandException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What went wrong. */
    public CommandException(final String message) {
        super(message);
    }

    /** What went wrong, and why. */
    public CommandException(final String message, final Throwable cause) {
        super(message, cause);
    }

    /** The exit code of a command that ends with this exception. */
    public int exitCode() {
        return 1;
    }
}
