/** How the bytes of a session are sealed once both sides have proved themselves. */
package io.spillway.seal;
