/* x_drop WINDOW FILE: drops a file on a window of the X server, as a file manager does (XDND 5).
 * Ends with 0 when the window has taken it. */
#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct dropping {
    Display *display;
    Window own, target;
    Atom list; /* the type: text/uri-list */
    char text[4096];
} dropping;

static Atom atom(const dropping *d, const char *name) {
    return XInternAtom(d->display, name, False);
}

static void tell(const dropping *d, const char *what, const long data[4]) {
    XEvent event = {.xclient = {.type = ClientMessage,
                                .display = d->display,
                                .window = d->target,
                                .message_type = atom(d, what),
                                .format = 32}};
    event.xclient.data.l[0] = (long)d->own;
    memcpy(event.xclient.data.l + 1, data, 4 * sizeof *data);
    XSendEvent(d->display, d->target, False, NoEventMask, &event);
    XFlush(d->display);
}

static void hand_over(const dropping *d, const XSelectionRequestEvent *request) {
    XChangeProperty(d->display, request->requestor, request->property, d->list, 8, PropModeReplace,
                    (const unsigned char *)d->text, (int)strlen(d->text));
    XEvent answer = {.xselection = {.type = SelectionNotify,
                                    .display = d->display,
                                    .requestor = request->requestor,
                                    .selection = request->selection,
                                    .target = request->target,
                                    .property = request->property,
                                    .time = request->time}};
    XSendEvent(d->display, request->requestor, False, NoEventMask, &answer);
    XFlush(d->display);
}

/* Until the target has taken it, or refused. */
static int converse(const dropping *d) {
    const long drop[4] = {0, CurrentTime, 0, 0};
    for (;;) {
        XEvent event;
        XNextEvent(d->display, &event);
        if (event.type == SelectionRequest) {
            hand_over(d, &event.xselectionrequest);
        } else if (event.type == ClientMessage &&
                   event.xclient.message_type == atom(d, "XdndStatus")) {
            if (!(event.xclient.data.l[1] & 1)) {
                return 1;
            }
            tell(d, "XdndDrop", drop);
        } else if (event.type == ClientMessage &&
                   event.xclient.message_type == atom(d, "XdndFinished")) {
            return 0;
        }
    }
}

int main(int argc, char *argv[]) {
    dropping d = {.display = XOpenDisplay(NULL)};
    if (argc != 3 || !d.display) {
        fputs("usage: x_drop WINDOW FILE, with a display\n", stderr);
        return 2;
    }
    alarm(60);
    d.target = strtoul(argv[1], NULL, 0);
    d.own = XCreateSimpleWindow(d.display, DefaultRootWindow(d.display), 0, 0, 1, 1, 0, 0, 0);
    d.list = atom(&d, "text/uri-list");
    snprintf(d.text, sizeof d.text, "file://%s\r\n", argv[2]);
    XSetSelectionOwner(d.display, atom(&d, "XdndSelection"), d.own, CurrentTime);
    tell(&d, "XdndEnter", (const long[4]){5L << 24, (long)d.list, None, None});
    tell(&d, "XdndPosition",
         (const long[4]){0, 50L << 16 | 50, CurrentTime, (long)atom(&d, "XdndActionCopy")});
    int status = converse(&d);
    XCloseDisplay(d.display);
    return status;
}
