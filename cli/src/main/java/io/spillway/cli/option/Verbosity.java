package io.spillway.cli.option;

/** How much a command prints; the whole command line's object is one. */
public interface Verbosity {
    /** Whether results and errors are all to be shown. */
    boolean isQuiet();
}
