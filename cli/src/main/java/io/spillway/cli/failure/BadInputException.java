// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.failure;

/** What was asked for cannot be done as asked: a wrong value, a missing file, too little space. */
public final class BadInputException extends CommandException {
    private static final long serialVersionUID = 1L;

    /** What is wrong, and what was expected. */
    public BadInputException(final String message) {
        super(message);
    }

    @Override
    public int exitCode() {
        return 2;
    }
}
