// SPDX-License-Identifier: Apache-2.0
package io.spillway.conf;

/** A setting holds a value that is not of its type or outside its range; the message says all. */
public final class InvalidSettingException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    InvalidSettingException(final String message) {
        super(message);
    }

    InvalidSettingException(final String message, final Throwable cause) {
        super(message, cause);
    }
}
