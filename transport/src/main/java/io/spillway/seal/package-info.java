/** Protection of the bytes of a session after both sides have proved themselves. */
package io.spillway.seal;
