// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.library;

import java.io.IOException;

/** A call of MPI, or a request, has failed. */
public final class MpiException extends IOException {
    private static final long serialVersionUID = 1;
    private static final int NO_CLASS = -1;

    private final int errorClass;

    /** The world is not what it should be; MPI itself has found no error. */
    public MpiException(final String message) {
        super(message);
        errorClass = NO_CLASS;
    }

    /**
     * Native code calls this one.
     *
     * @param call the function that failed
     * @param errorClass the number of the error's class, as MPI_Error_class gives it
     * @param text as MPI_Error_string gives it
     */
    MpiException(final String call, final int errorClass, final String text) {
        super(call + ": " + text.strip() + " (error class " + errorClass + ")");
        this.errorClass = errorClass;
    }

    /**
     * The number of the error's class: other numbers in other MPI libraries. Negative where MPI
     * itself has found no error.
     */
    public int errorClass() {
        return errorClass;
    }
}
