// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.cds;

import java.nio.file.Path;

/** Loads the classes of a recipe, and initialises none. Run in the JVM that makes the archive. */
public final class ClassLoading {
    private ClassLoading() {}

    /** Takes the path of a recipe. */
    public static void main(final String[] arguments) {
        int loaded = 0;
        int missing = 0;
        for (final String name : ArchiveRecipe.read(Path.of(arguments[0])).classes()) {
            if (isLoaded(name)) {
                loaded++;
            } else {
                missing++;
            }
        }
        System.out.println(loaded + " classes loaded, " + missing + " not found");
    }

    /** By the loader that archives know; ours is another one. */
    private static boolean isLoaded(final String name) {
        try {
            Class.forName(name, false, ClassLoader.getSystemClassLoader());
            return true;
        } catch (final ClassNotFoundException | LinkageError e) {
            return false; // of a jar that is not on the archive's class path
        }
    }
}
