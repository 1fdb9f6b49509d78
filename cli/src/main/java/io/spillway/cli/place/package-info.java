/** Where the jobs of a command run. */
package io.spillway.cli.place;
