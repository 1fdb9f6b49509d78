/** Options that commands share, and the screen that they print to. */
package io.spillway.cli.option;
